import { type Kysely, sql } from 'kysely'
import { auditTable, tenantName } from '../audit/audit-table.ts'
import { tellGlobalChanges } from './access-changes.ts'

/**
 * Plugins: what the wagon says of itself, its YAML files and icon, and where it has been installed.
 *
 * `created_at` is what the API calls `uploaded_at`. The wagon is an archive; its files are small, and lie here. A state
 * is that of one manager's machine (by hostname) or of one agent, which may be another tenant's when the plugin is global;
 * what whoever installs writes of it is not audited.
 * The file that is derived is for blueprints of cloudify_dsl_1_3 alone: it did not come with the plugin.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
  await auditTable(db, 'plugins', { identifier: { tenant: tenantName, id: 'id' }, creator: 'created_by' })
  await auditTable(db, 'plugin_states', {
    identifier: { tenant: tenantName, plugin_id: 'plugin_id', manager: 'manager', agent: 'agent' },
    unaudited: ['progress', 'updated_at'],
    requestsOnly: true,
  })
}

const statements = [
  `create table plugins (
    tenant_id int not null references tenants,
    id text not null,
    title text not null,
    package_name text not null,
    package_version text not null,
    package_source text,
    archive_name text not null,
    supported_platform text,
    distribution text,
    distribution_version text,
    distribution_release text,
    supported_py_versions json not null default '[]',
    wheels json not null default '[]',
    excluded_wheels json not null default '[]',
    blueprint_labels json not null default '{}',
    labels json not null default '{}',
    resource_tags json not null default '{}',
    archive_sha256 text not null references archives,
    visibility text not null default 'tenant',
    created_by text not null,
    created_at timestamptz not null default clock_timestamp(),
    primary key (tenant_id, id)
  )`,
  'create index plugins_created on plugins (tenant_id, created_at, id)',
  "create index plugins_global on plugins (id, tenant_id) where visibility = 'global'",
  'create index plugins_package on plugins (tenant_id, package_name)',
  "create index plugins_global_package on plugins (package_name) where visibility = 'global'",
  'create index plugins_archive on plugins (archive_sha256)',
  ...tellGlobalChanges('plugins'),

  `create table plugin_files (
    tenant_id int not null,
    plugin_id text not null,
    name text not null,
    content bytea not null,
    is_derived boolean not null default false,
    primary key (tenant_id, plugin_id, name),
    foreign key (tenant_id, plugin_id) references plugins on delete cascade
  )`,

  `create table plugin_states (
    tenant_id int not null,
    plugin_id text not null,
    manager text,
    agent_tenant_id int,
    agent text,
    state text not null,
    error text,
    progress json,
    updated_at timestamptz not null default clock_timestamp(),
    foreign key (tenant_id, plugin_id) references plugins on delete cascade,
    foreign key (agent_tenant_id, agent) references agents on delete cascade,
    check (num_nonnulls(manager, agent) = 1),
    check (num_nonnulls(agent_tenant_id, agent) <> 1)
  )`,
  'create unique index plugin_states_manager on plugin_states (tenant_id, plugin_id, manager) where manager is not null',
  'create unique index plugin_states_agent on plugin_states (tenant_id, plugin_id, agent_tenant_id, agent) where agent is not null',
  'create index plugin_states_of_agent on plugin_states (agent_tenant_id, agent) where agent is not null',
]
