import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database, Transaction } from '../database.ts'

export type ProcessRole = 'api' | 'worker' | 'scheduler'

/** A running part of Tutti, as it makes itself known to the others. */
export type ProcessIdentity = {
  /** Unique for each start. */
  readonly id: string
  readonly hostname: string
  /** Where other machines reach it. */
  readonly address: string
  readonly roles: readonly ProcessRole[]
  readonly version: string
}

export type ProcessRow = ProcessIdentity & {
  readonly lastSeen: Date
  readonly isAlive: boolean
}

export const heartbeatMs = 5_000

/** A process that missed several heartbeats is no longer counted on. */
const aliveMs = 4 * heartbeatMs

/** For so long a dead process is shown as dead, unless its machine runs such a one again. */
const rememberedMs = 24 * 60 * 60_000

/** Whoever ends waits no longer than this for a database that says nothing. */
const lastWordMs = 2_000

export type Heartbeat = {
  /** Ends it and takes the process out of the list. */
  stop(): Promise<void>
}

/**
 * Says that a process lives, until it is stopped. A beat that the database refuses is reported, and tried again at the
 * next. `alsoBeat` is done with each beat, the first one included; `alsoLeave` when it is stopped.
 */
export async function startHeartbeat(
  db: Database,
  process: ProcessIdentity,
  options: {
    readonly onError: (error: unknown) => void
    readonly alsoBeat?: (transaction: Transaction) => Promise<void>
    readonly alsoLeave?: (transaction: Transaction) => Promise<void>
  },
): Promise<Heartbeat> {
  const beatOnce = () =>
    db.transaction().execute(async (transaction) => {
      await writeProcess(transaction, process)
      await options.alsoBeat?.(transaction)
    })
  const leave = () =>
    db.transaction().execute(async (transaction) => {
      await deleteProcess(transaction, process.id)
      await options.alsoLeave?.(transaction)
    })
  await forgetDead(db, process)
  await beatOnce()
  let beat: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    beat = beatOnce().catch(options.onError)
  }, heartbeatMs)
  return {
    async stop() {
      clearInterval(timer)
      // Without its database the process still has to end; its silence then says that it is gone.
      const goodbye = beat.then(leave).catch(options.onError)
      await Promise.race([goodbye, delay(lastWordMs, undefined, { ref: false })])
    },
  }
}

export async function listProcesses(db: Database): Promise<readonly ProcessRow[]> {
  return db
    .selectFrom('processes')
    .select([
      'id',
      'hostname',
      'address',
      'roles',
      'version',
      'last_seen as lastSeen',
      isFresh('last_seen').as('isAlive'),
    ])
    .orderBy('hostname')
    .orderBy('started_at')
    .execute() as Promise<readonly ProcessRow[]>
}

/** Whether whoever wrote this time with each beat is still to be counted on. */
export const isFresh = (column: string) =>
  sql<boolean>`coalesce(${sql.ref(column)} >= ${since(aliveMs)}, false)`

async function writeProcess(db: Database, { id, roles, ...rest }: ProcessIdentity): Promise<void> {
  await db
    .insertInto('processes')
    .values({ id, roles: [...roles], ...rest })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ last_seen: sql`clock_timestamp()` }))
    .execute()
}

async function deleteProcess(db: Database, id: string): Promise<void> {
  await db.deleteFrom('processes').where('id', '=', id).execute()
}

/** What this one takes the place of, and what nobody remembers. */
async function forgetDead(db: Database, { hostname, roles }: ProcessIdentity): Promise<void> {
  await sql`
    delete from processes
    where (hostname = ${hostname} and roles <@ ${[...roles]}::text[] and last_seen < ${since(aliveMs)})
      or last_seen < ${since(rememberedMs)}`.execute(db)
}

const since = (ms: number) => sql<Date>`(clock_timestamp() - ${ms} * interval '1 millisecond')`
