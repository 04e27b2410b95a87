import { type Kysely, sql } from 'kysely'
import { auditTable, tenantName } from '../audit/audit-table.ts'

/**
 * Deployment modifications; they go with their deployment and are seen by whoever sees it. `execution_id`: the execution
 * whose action began it, null for one that was begun over REST.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
  await auditTable(db, 'deployment_modifications', {
    identifier: { tenant: tenantName, id: 'id', deployment_id: 'deployment_id' },
    creator: 'created_by',
  })
}

const statements = [
  `create table deployment_modifications (
    tenant_id int not null,
    id text not null,
    deployment_id text not null,
    execution_id text,
    status text not null default 'started',
    modified_nodes json not null,
    node_instances json not null,
    context json,
    created_by text not null,
    created_at timestamptz not null default clock_timestamp(),
    ended_at timestamptz,
    primary key (tenant_id, id),
    foreign key (tenant_id, deployment_id) references deployments on delete cascade
  )`,
  'create index deployment_modifications_created on deployment_modifications (tenant_id, created_at, id)',
  `create index deployment_modifications_deployment
    on deployment_modifications (tenant_id, deployment_id, created_at, id)`,
  `create unique index deployment_modifications_started on deployment_modifications (tenant_id, deployment_id)
    where status = 'started'`,
]
