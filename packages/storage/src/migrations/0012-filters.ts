import { type Kysely, sql } from 'kysely'
import { tellGlobalChanges } from './access-changes.ts'

/** Stored filters for deployments and blueprints. Those of every manager are written at its start. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of ['deployment_filters', 'blueprint_filters'].flatMap(statements)) {
    await sql.raw(statement).execute(db)
  }
  // How many labels have a key and a value at once: neither alone says it, as most keys have few values.
  for (const table of ['deployment_labels', 'blueprint_labels']) {
    await sql`create statistics ${sql.ref(`${table}_pairs`)} (mcv, ndistinct) on key, value
      from ${sql.table(table)}`.execute(db)
  }
}

const statements = (table: string): readonly string[] => [
  `create table ${table} (
    tenant_id int not null references tenants,
    id text not null,
    value json not null,
    is_system_filter boolean not null default false,
    updated_at timestamptz not null default clock_timestamp(),
    visibility text not null default 'tenant',
    created_by text not null,
    created_at timestamptz not null default clock_timestamp(),
    primary key (tenant_id, id)
  )`,
  `create index ${table}_created on ${table} (tenant_id, created_at, id)`,
  `create index ${table}_global on ${table} (id, tenant_id) where visibility = 'global'`,
  ...tellGlobalChanges(table),
]
