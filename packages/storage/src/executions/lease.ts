import { activeStatuses } from '@tutti/api'
import { type Selectable, sql } from 'kysely'
import type { Database, Transaction } from '../database.ts'
import type { Queue } from '../queue.ts'
import type { Schema } from '../schema.ts'
import type { HeldLease } from './renew-leases.ts'

/**
 * The lease of an execution: who runs it, until when, and the fence that each of that owner's writes checks.
 * A worker that lost its lease (it was too slow, or believed dead) can therefore write nothing more.
 *
 * It outlives a cancelled execution for as long as operations of it still run: their ends are recorded under it, and
 * whoever resumes the execution gets it only when they are over.
 */
export type Lease = {
  readonly tenantId: number
  readonly executionId: string
  readonly fence: number
}

export type ExecutionRow = Selectable<Schema['executions']>

const literals = (statuses: readonly string[]) => sql.join(statuses.map((status) => sql.lit(status)))

/**
 * Who holds an unfinished execution that is only recorded, as a snapshot of another manager has it: nobody here runs it
 * or will start it, so nothing waits for it either.
 */
export const recorded = 'recorded'

/**
 * `status` is an active one, and not only said to be. Written out: only then does PostgreSQL see, in a prepared statement
 * too, that the index of the unfinished holds all that is asked for.
 */
const isUnfinished = (statuses: readonly string[]) =>
  sql<boolean>`(status in (${literals(statuses)}) and lease_owner is distinct from ${sql.lit(recorded)})`
export const isActive = isUnfinished(activeStatuses)
export const isActiveOrQueued = isUnfinished([...activeStatuses, 'queued'])

/** How long a worker has to fetch a fresh job before the sweep for abandoned executions offers it again. */
export const pickUpMs = 4_000

/** Thrown by a write whose owner no longer holds the lease; the runner drops the execution and nothing else. */
export class LeaseLost extends Error {
  constructor(lease: Lease) {
    super(`The lease of execution ${lease.executionId} (fence ${lease.fence}) is held by another worker now`)
    this.name = 'LeaseLost'
  }
}

/**
 * Takes the execution if it is unfinished and nobody's. Returns its row, or undefined when it is not to be had.
 *
 * `skip` does not wait for a row in the middle of a transaction: a machine that lost its power leaves its locks behind,
 * and whoever goes through many executions has others to look after.
 */
export async function takeLease(
  db: Database,
  execution: { readonly tenantId: number; readonly executionId: string },
  owner: string,
  leaseMs: number,
  whenLocked: 'wait' | 'skip',
): Promise<ExecutionRow | undefined> {
  return db
    .updateTable('executions')
    .set({
      lease_owner: owner,
      lease_expires_at: inFuture(leaseMs),
      lease_fence: sql`lease_fence + 1`,
    })
    .where('tenant_id', '=', execution.tenantId)
    .where('id', '=', (query) =>
      query
        .selectFrom('executions')
        .select('id')
        .where('tenant_id', '=', execution.tenantId)
        .where('id', '=', execution.executionId)
        .where(isActive)
        .where((eb) =>
          eb.or([eb('lease_owner', 'is', null), eb('lease_expires_at', '<', sql<Date>`clock_timestamp()`)]),
        )
        .forNoKeyUpdate()
        .$if(whenLocked === 'skip', (locked) => locked.skipLocked()),
    )
    .returningAll()
    .executeTakeFirst()
}

/** Whether what still runs of a cancelled execution is to end: it was killed, or is to begin anew. */
export const endsWhatIsLeft = ({ status, resume_mode, hasToken }: HeldLease): boolean =>
  resume_mode === 'force-resume' || (!isActiveStatus(status) && !hasToken)

const isActiveStatus = (status: string) => activeStatuses.some((active) => active === status)

/**
 * What makes an execution one that a worker may take: nobody's, unless operations of its last run are still at work
 * under a lease. Should its job be lost, the first to look for abandoned ones finds it.
 */
export const offered = {
  lease_owner: sql<string | null>`case when lease_expires_at > clock_timestamp() then lease_owner end`,
  lease_expires_at: sql<Date>`case when lease_owner is not null and lease_expires_at > clock_timestamp()
    then lease_expires_at else clock_timestamp() + ${sql.lit(pickUpMs)} * interval '1 millisecond' end`,
}

/** Executions whose worker died or never came: their lease ran out. Oldest first. */
export async function findAbandoned(db: Database, limit: number) {
  return db
    .selectFrom('executions')
    .select(['tenant_id as tenantId', 'id as executionId'])
    .where(isActive)
    .where('lease_expires_at', '<', sql<Date>`clock_timestamp()`)
    .orderBy('lease_expires_at')
    .limit(limit)
    .execute()
}

/** How long it is until the next lease runs out, unless it is renewed; undefined when there is none. */
export async function msUntilAbandoned(db: Database): Promise<number | undefined> {
  const row = await db
    .selectFrom('executions')
    .select(
      sql<number>`extract(epoch from lease_expires_at - clock_timestamp())::float8 * 1000`.as('untilMs'),
    )
    .where(isActive)
    .where('lease_expires_at', '>=', sql<Date>`clock_timestamp()`)
    .orderBy('lease_expires_at')
    .limit(1)
    .executeTakeFirst()
  return row?.untilMs
}

/**
 * Gives executions that the owner still holds back, and offers the unfinished to the other workers at once; all of the
 * owner's when no ids are given.
 */
export async function releaseLeases(
  db: Database,
  queue: Queue,
  owner: string,
  executionIds?: readonly string[],
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const released = await transaction
      .updateTable('executions')
      .set({ lease_owner: null, lease_expires_at: sql`clock_timestamp()` })
      .where('lease_owner', '=', owner)
      .$if(executionIds !== undefined, (query) => query.where('id', 'in', executionIds ?? []))
      .returning(['tenant_id as tenantId', 'id as executionId', isActive.as('isActive')])
      .execute()
    await queue.enqueue(
      transaction,
      released.filter((one) => one.isActive),
    )
  })
}

/**
 * Ends every lease: only for the one process that just started on an embedded database, which no other process
 * can reach. Whoever held them is dead, so waiting for them to run out would only cost time.
 */
export async function releaseAllLeases(db: Database): Promise<void> {
  await db
    .updateTable('executions')
    .set({ lease_owner: null, lease_expires_at: sql`clock_timestamp()` })
    .where((eb) => eb.or([isActive, eb('lease_owner', 'is not', null)]))
    .where('lease_expires_at', 'is not', null)
    .where('lease_owner', 'is distinct from', recorded)
    .execute()
}

/** Of executions that ended, and whose worker died while operations of them still ran: nobody would look at them. */
export async function clearLeftLeases(db: Database, limit: number): Promise<number> {
  const { rows } = await sql`
    update executions e set lease_owner = null, lease_expires_at = null
    from (
      select tenant_id, id from executions
      where lease_owner is not null and lease_expires_at < clock_timestamp() and not ${isActive}
      limit ${limit} for no key update skip locked
    ) as left_over
    where e.tenant_id = left_over.tenant_id and e.id = left_over.id
    returning e.id`.execute(db)
  return rows.length
}

/**
 * Fails with LeaseLost unless the lease is still held; locks the execution's row until the transaction ends, so
 * that nobody can take the lease between this check and the commit.
 */
export async function checkLease(
  transaction: Transaction,
  lease: Lease,
): Promise<Pick<ExecutionRow, 'status' | 'step'>> {
  const row = await transaction
    .selectFrom('executions')
    .select(['status', 'step'])
    .where('tenant_id', '=', lease.tenantId)
    .where('id', '=', lease.executionId)
    .where('lease_fence', '=', lease.fence)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (row === undefined) throw new LeaseLost(lease)
  return row
}

/** The execution as it is now, for an owner that goes on with it. @throws LeaseLost */
export async function readHeld(db: Database, lease: Lease): Promise<ExecutionRow> {
  const row = await db
    .selectFrom('executions')
    .selectAll()
    .where('tenant_id', '=', lease.tenantId)
    .where('id', '=', lease.executionId)
    .where('lease_fence', '=', lease.fence)
    .executeTakeFirst()
  if (row === undefined) throw new LeaseLost(lease)
  return row
}

function inFuture(ms: number) {
  return sql<Date>`clock_timestamp() + ${ms} * interval '1 millisecond'`
}
