import { type Kysely, sql } from 'kysely'
import { auditTable, tenantName } from '../audit/audit-table.ts'

/** Agents; they go with their node instance. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table agents (
      tenant_id int not null,
      id text not null,
      node_instance_id text not null,
      ip text,
      install_method text,
      system text,
      version text,
      state text not null,
      rabbitmq_username text,
      rabbitmq_password text,
      rabbitmq_exchange text,
      updated_at timestamptz,
      visibility text not null default 'tenant',
      created_by text not null,
      created_at timestamptz not null default clock_timestamp(),
      primary key (tenant_id, id),
      foreign key (tenant_id, node_instance_id) references node_instances on delete cascade
    )`.execute(db)
  await sql`create index agents_instance on agents (tenant_id, node_instance_id)`.execute(db)
  await sql`create index agents_created on agents (tenant_id, created_at, id)`.execute(db)
  await auditTable(db, 'agents', { identifier: { tenant: tenantName, id: 'id' }, creator: 'created_by' })
}
