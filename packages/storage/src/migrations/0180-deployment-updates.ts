import { type Kysely, sql } from 'kysely'
import { auditTable, tenantName } from '../audit/audit-table.ts'

/**
 * Deployment updates; they go with their deployment and are seen by whoever sees it.
 *
 * `plan_of`: what the deployment was when the update was prepared; it is written to no other. `run`: what its workflow is
 * to do, null until it is prepared. `applied_at`: since when the deployment is as the new blueprint has it.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
  await auditTable(db, 'deployment_updates', {
    identifier: { tenant: tenantName, id: 'id', deployment_id: 'deployment_id' },
    creator: 'created_by',
    requestsOnly: true,
  })
}

const statements = [
  `create table deployment_updates (
    tenant_id int not null,
    id text not null,
    deployment_id text not null,
    state text not null default 'updating',
    preview boolean not null default false,
    old_blueprint_id text,
    new_blueprint_id text,
    new_blueprint_tenant_id int,
    old_inputs json not null default '{}',
    new_inputs json not null default '{}',
    runtime_only_evaluation boolean not null default false,
    options json not null default '{}',
    execution_id text,
    steps json not null default '[]',
    deployment_plan json,
    deployment_plan_parts text,
    deployment_update_deployment json,
    deployment_update_nodes json,
    deployment_update_node_instances json,
    modified_entity_ids json,
    central_plugins_to_install json not null default '[]',
    central_plugins_to_uninstall json not null default '[]',
    recursive_dependencies json,
    schedules_to_create json,
    schedules_to_delete json,
    labels_to_create json,
    instance_changes json,
    run json,
    plan_of text,
    applied_at timestamptz,
    created_by text not null,
    created_at timestamptz not null default clock_timestamp(),
    primary key (tenant_id, id),
    foreign key (tenant_id, deployment_id) references deployments on delete cascade
  )`,
  'create index deployment_updates_created on deployment_updates (tenant_id, created_at, id)',
  `create index deployment_updates_deployment
    on deployment_updates (tenant_id, deployment_id, created_at, id)`,
  'create index deployment_updates_execution on deployment_updates (tenant_id, execution_id)',
]
