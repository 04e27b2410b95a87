import {
  type Database,
  heartbeatMs,
  isFresh,
  type ListedResource,
  namedOnly,
  timeField,
  toJson,
} from '@tutti/storage'
import { sql } from 'kysely'

/** docs/reference/cluster-and-configuration.md, "Managers". */
export const managerResource: ListedResource = {
  model: 'Manager',
  from: sql`managers m`,
  fields: {
    id: { column: sql`m.id` },
    hostname: { column: sql`m.hostname` },
    private_ip: { column: sql`m.private_ip` },
    public_ip: { column: sql`m.public_ip` },
    version: { column: sql`m.version` },
    edition: { column: sql`m.edition` },
    distribution: { column: sql`m.distribution` },
    distro_release: { column: sql`m.distro_release` },
    fs_sync_node_id: { column: sql`m.fs_sync_node_id` },
    networks: { column: sql`m.networks` },
    ca_cert_content: { column: sql`m.ca_cert_content` },
    last_seen: timeField(sql`m.last_seen`),
    status_report_frequency: { column: sql`m.status_report_frequency` },
  },
  idField: 'hostname',
  search: sql`m.hostname`,
  ...namedOnly,
  tieBreaker: sql`m.id`,
}

export type NewManager = {
  readonly hostname: string
  readonly private_ip: string
  readonly public_ip: string
  readonly version: string
  readonly edition: string
  readonly distribution: string
  readonly distro_release: string
  readonly fs_sync_node_id?: string | null
  readonly networks: Readonly<Record<string, unknown>>
  readonly ca_cert_content?: string | null
}

/** False when there is one of that name. */
export async function insertManager(db: Database, manager: NewManager): Promise<boolean> {
  const row = await db
    .insertInto('managers')
    .values({ ...manager, networks: toJson(manager.networks), status_report_frequency: null })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** A manager that has started: under its name it takes over whatever row there was. */
export async function writeOwnManager(db: Database, manager: NewManager): Promise<void> {
  const row = {
    ...manager,
    networks: toJson(manager.networks),
    last_seen: sql<Date>`clock_timestamp()`,
    status_report_frequency: heartbeatMs / 1000,
  }
  await db
    .insertInto('managers')
    .values(row)
    .onConflict((conflict) => conflict.column('hostname').doUpdateSet(row))
    .execute()
}

/** Not written again once somebody has deleted it: it comes back when it is started again. */
export async function recordManagerSeen(db: Database, hostname: string): Promise<void> {
  await db
    .updateTable('managers')
    .set({ last_seen: sql`clock_timestamp()` })
    .where('hostname', '=', hostname)
    .execute()
}

export async function setFileSyncNode(db: Database, hostname: string, id: string): Promise<boolean> {
  const row = await db
    .updateTable('managers')
    .set({ fs_sync_node_id: id })
    .where('hostname', '=', hostname)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteManager(db: Database, hostname: string): Promise<boolean> {
  const row = await db
    .deleteFrom('managers')
    .where('hostname', '=', hostname)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export type ManagerRow = {
  readonly hostname: string
  readonly private_ip: string
  readonly public_ip: string
  readonly version: string
  readonly last_seen: Date | null
  readonly isAlive: boolean
}

/** The longest known first. */
export async function readManagers(db: Database): Promise<readonly ManagerRow[]> {
  return db
    .selectFrom('managers')
    .select([
      'hostname',
      'private_ip',
      'public_ip',
      'version',
      'last_seen',
      isFresh('last_seen').as('isAlive'),
    ])
    .orderBy('id')
    .execute()
}

export type BrokerRow = {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly networks: Readonly<Record<string, unknown>>
}

export async function readBrokers(db: Database): Promise<readonly BrokerRow[]> {
  return db
    .selectFrom('brokers')
    .select(['name', 'host', 'port', 'networks'])
    .orderBy('created_at')
    .orderBy('name')
    .execute()
}

/** False when there is one of that name. */
export async function insertBroker(db: Database, broker: BrokerRow): Promise<boolean> {
  const row = await db
    .insertInto('brokers')
    .values({ ...broker, networks: toJson(broker.networks) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('name')
    .executeTakeFirst()
  return row !== undefined
}

/** Writes the row too when the broker had none, as the one that every manager brings along. */
export async function setBrokerNetworks(db: Database, broker: BrokerRow): Promise<void> {
  const networks = toJson(broker.networks)
  await db
    .insertInto('brokers')
    .values({ ...broker, networks })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ networks }))
    .execute()
}

export async function deleteBroker(db: Database, name: string): Promise<boolean> {
  const row = await db.deleteFrom('brokers').where('name', '=', name).returning('name').executeTakeFirst()
  return row !== undefined
}

export type DatabaseNode = {
  readonly name: string
  /** Null: a socket on this machine, so that no other one reaches it. */
  readonly host: string | null
  readonly version: string
  readonly isAlive: boolean
}

/** The database itself, and the standbys that follow it, as far as this user may see them. */
export async function readDatabaseNodes(db: Database): Promise<readonly DatabaseNode[]> {
  const { rows } = await sql<DatabaseNode>`
    select coalesce(host(inet_server_addr()), 'postgresql') as name, host(inet_server_addr()) as host,
      current_setting('server_version') as version, true as "isAlive"
    union all
    select application_name || '@' || host(client_addr), host(client_addr), current_setting('server_version'),
      state = 'streaming'
    from pg_stat_replication where client_addr is not null`.execute(db)
  return rows
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
