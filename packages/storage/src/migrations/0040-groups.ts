import { type Kysely, sql } from 'kysely'
import { auditTable, tenantName } from '../audit/audit-table.ts'
import { tellGlobalChanges } from './access-changes.ts'

/**
 * Deployment groups with their members and labels, and execution groups. An execution is in one execution group at most:
 * the one that it was created by.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
  const identifier = { tenant: tenantName, id: 'id' }
  const creator = 'created_by'
  await auditTable(db, 'deployment_groups', { identifier, creator, byRequestOnly: ['creation_counter'] })
  await auditTable(db, 'execution_groups', { identifier, creator })
  const group = { tenant: tenantName, deployment_group_id: 'deployment_group_id' }
  await auditTable(db, 'deployment_group_members', {
    identifier: { ...group, deployment_id: 'deployment_id' },
  })
  await auditTable(db, 'deployment_group_labels', {
    identifier: { ...group, key: 'key', value: 'value' },
    creator,
  })
}

const ownerColumns = `
  visibility text not null default 'tenant',
  created_by text not null,
  created_at timestamptz not null default clock_timestamp()`

const statements = [
  `create table deployment_groups (
    tenant_id int not null references tenants,
    id text not null,
    description text,
    default_blueprint_tenant_id int,
    default_blueprint_id text,
    default_inputs json not null default '{}',
    creation_counter int not null default 0,
    ${ownerColumns},
    primary key (tenant_id, id),
    foreign key (default_blueprint_tenant_id, default_blueprint_id) references blueprints on delete set null
  )`,
  'create index deployment_groups_created on deployment_groups (tenant_id, created_at, id)',
  "create index deployment_groups_global on deployment_groups (id, tenant_id) where visibility = 'global'",
  `create index deployment_groups_blueprint on deployment_groups (default_blueprint_tenant_id, default_blueprint_id)
    where default_blueprint_id is not null`,
  ...tellGlobalChanges('deployment_groups'),
  `create table deployment_group_members (
    tenant_id int not null,
    deployment_group_id text not null,
    deployment_id text not null,
    primary key (tenant_id, deployment_group_id, deployment_id),
    foreign key (tenant_id, deployment_group_id) references deployment_groups on delete cascade,
    foreign key (tenant_id, deployment_id) references deployments on delete cascade
  )`,
  'create index deployment_group_members_deployment on deployment_group_members (tenant_id, deployment_id)',
  `create table deployment_group_labels (
    tenant_id int not null,
    deployment_group_id text not null,
    key text not null,
    value text not null,
    created_at timestamptz not null default clock_timestamp(),
    created_by text not null,
    primary key (tenant_id, deployment_group_id, key, value),
    foreign key (tenant_id, deployment_group_id) references deployment_groups on delete cascade
  )`,
  'create index deployment_group_labels_key on deployment_group_labels (tenant_id, key, value)',

  // The history of what ran stays when the deployment group goes.
  `create table execution_groups (
    tenant_id int not null references tenants,
    id text not null,
    deployment_group_id text,
    workflow_id text not null,
    concurrency int not null,
    success_group_id text,
    failure_group_id text,
    ${ownerColumns},
    primary key (tenant_id, id),
    foreign key (tenant_id, deployment_group_id) references deployment_groups
      on delete set null (deployment_group_id),
    foreign key (tenant_id, success_group_id) references deployment_groups on delete set null (success_group_id),
    foreign key (tenant_id, failure_group_id) references deployment_groups on delete set null (failure_group_id)
  )`,
  'create index execution_groups_created on execution_groups (tenant_id, created_at, id)',
  ...['deployment_group_id', 'success_group_id', 'failure_group_id'].map(
    (column) => `create index execution_groups_${column} on execution_groups (tenant_id, ${column})
      where ${column} is not null`,
  ),
  `alter table executions
    add column execution_group_id text,
    add foreign key (tenant_id, execution_group_id) references execution_groups`,
  `create index executions_group on executions (tenant_id, execution_group_id, created_at)
    where execution_group_id is not null`,
  `create index events_execution_group on events (tenant_id, execution_group_id, reported_timestamp, id)
    where execution_group_id is not null`,
]
