import type { Selectable } from 'kysely'
import type { Schema } from '../schema.ts'

/**
 * A client or a pool of `pg`. Renewals go past everything that a process shares (keep-leases.ts), and the thread that
 * makes them loads no more than this file: it is to be there at once.
 */
export type Connection = {
  query(text: string, values: readonly unknown[]): Promise<{ readonly rows: readonly unknown[] }>
}

export type HeldLease = Pick<
  Selectable<Schema['executions']>,
  'tenant_id' | 'id' | 'status' | 'lease_fence' | 'resume_mode'
> & {
  /** False for a row in the middle of a transaction: see `renewLocked`. */
  readonly isRenewed: boolean
  readonly hasToken: boolean
}

/**
 * From the moment at which the server was asked: a worker that is halted while its renewal waits for a lock gains nothing
 * by the wait.
 */
const asFarAs = (ms: string) => `statement_timestamp() + ${ms} * interval '1 millisecond'`

const isHeld = 'e.lease_owner = $1 and e.id = any($2::text[])'
const renewal = `
  with free as (
    select e.tenant_id, e.id from executions e where ${isHeld} for no key update skip locked
  ), renewed as (
    update executions e set lease_expires_at = ${asFarAs('$3::float8')}
    from free where e.tenant_id = free.tenant_id and e.id = free.id
    returning e.tenant_id, e.id
  )
  select e.tenant_id, e.id, e.status, e.lease_fence, e.resume_mode, renewed.id is not null as "isRenewed",
    e.token_hash is not null as "hasToken"
  from executions e left join renewed on renewed.tenant_id = e.tenant_id and renewed.id = e.id
  where ${isHeld}`

/**
 * Prolongs the owner's leases of these executions at once. Returns those that it still holds, with the statuses that
 * they have now: this is also how a cancel request is seen when its notification was missed.
 */
export async function renewLeases(
  connection: Connection,
  owner: string,
  executionIds: readonly string[],
  leaseMs: number,
): Promise<readonly HeldLease[]> {
  if (executionIds.length === 0) return []
  const { rows } = await connection.query(renewal, [owner, [...executionIds], leaseMs])
  return rows as readonly HeldLease[]
}

/**
 * Prolongs the lease of an execution whose row is in the middle of a transaction, as soon as that is over: whoever waits
 * for a row gets it before those who pass by what is locked and come again. False when it is not held any more.
 */
export async function renewLocked(
  connection: Connection,
  owner: string,
  { tenant_id, id }: Pick<HeldLease, 'tenant_id' | 'id'>,
  leaseMs: number,
): Promise<boolean> {
  const { rows } = await connection.query(
    `update executions set lease_expires_at = greatest(lease_expires_at, ${asFarAs('$4::float8')})
    where lease_owner = $1 and tenant_id = $2 and id = $3 returning id`,
    [owner, tenant_id, id, leaseMs],
  )
  return rows.length > 0
}
