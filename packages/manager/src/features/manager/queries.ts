import { type Database, toJson } from '@tutti/storage'
import { sql } from 'kysely'

export type ManagerRow = {
  readonly id: number
  readonly hostname: string
  readonly private_ip: string
  readonly public_ip: string
  readonly version: string
  readonly last_seen: Date
}

export type NewManager = {
  /** Unique among the processes of the cluster; a process that starts again under its name takes its row over. */
  readonly hostname: string
  readonly privateIp: string
  readonly publicIp: string
  readonly version: string
  readonly roles: readonly ('api' | 'worker' | 'scheduler')[]
}

/** Writes the heartbeat, and the row when it is the first or another process has cleaned it away. */
export async function recordHeartbeat(db: Database, manager: NewManager): Promise<void> {
  const row = {
    private_ip: manager.privateIp,
    public_ip: manager.publicIp,
    version: manager.version,
    roles: manager.roles.join(','),
    last_seen: sql<Date>`clock_timestamp()`,
  }
  await db
    .insertInto('managers')
    .values({ hostname: manager.hostname, ...row })
    .onConflict((conflict) => conflict.column('hostname').doUpdateSet(row))
    .execute()
}

export async function deleteManager(db: Database, hostname: string): Promise<void> {
  await db.deleteFrom('managers').where('hostname', '=', hostname).execute()
}

export async function deleteSilentManagers(db: Database, silentMs: number): Promise<void> {
  await db.deleteFrom('managers').where('last_seen', '<', since(silentMs)).execute()
}

/** Processes that answer the API, the longest known first. */
export async function listManagers(db: Database, hostname?: string): Promise<readonly ManagerRow[]> {
  return db
    .selectFrom('managers')
    .select(['id', 'hostname', 'private_ip', 'public_ip', 'version', 'last_seen'])
    .where(hasRole('api'))
    .$if(hostname !== undefined, (query) => query.where('hostname', '=', hostname ?? ''))
    .orderBy('id')
    .execute()
}

export async function countLiveWorkers(db: Database, freshMs: number): Promise<number> {
  const row = await db
    .selectFrom('managers')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(hasRole('worker'))
    .where('last_seen', '>=', since(freshMs))
    .executeTakeFirstOrThrow()
  return row.count
}

export async function ping(db: Database): Promise<void> {
  await sql`select 1`.execute(db)
}

/** Jobs that no worker has fetched yet; fails when the queue's tables are not there. */
export async function countWaitingJobs(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pgboss.job where name = 'executions' and state < 'active'`.execute(db)
  return rows[0]?.count ?? 0
}

const contextId = 'CONTEXT'

export async function findProviderContext(db: Database) {
  return db
    .selectFrom('provider_context')
    .select(['id', 'name', 'context'])
    .where('id', '=', contextId)
    .executeTakeFirst()
}

/** Returns false when there is one already and it is not to be replaced. */
export async function writeProviderContext(
  db: Database,
  row: { readonly name: string; readonly context: unknown },
  replaces: boolean,
): Promise<boolean> {
  const values = { name: row.name, context: toJson(row.context) }
  const written = await db
    .insertInto('provider_context')
    .values({ id: contextId, ...values })
    .onConflict((conflict) =>
      replaces ? conflict.column('id').doUpdateSet(values) : conflict.column('id').doNothing(),
    )
    .returning('id')
    .executeTakeFirst()
  return written !== undefined
}

const hasRole = (role: string) => sql<boolean>`${role} = any(string_to_array(roles, ','))`
const since = (ms: number) => sql<Date>`clock_timestamp() - ${ms} * interval '1 millisecond'`
