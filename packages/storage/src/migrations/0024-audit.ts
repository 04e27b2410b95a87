import { type Kysely, sql } from 'kysely'
import { type AuditedTable, auditDeletions, auditTable, tenantName } from '../audit/audit-table.ts'

/** The audit log, and the tables of this release whose changes are in it. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
  for (const [table, audited] of Object.entries(tables)) await auditTable(db, table, audited)
  for (const table of ['events', 'audit_log']) await auditDeletions(db, table)
}

const statements = [
  // xact: of the transaction that wrote the record. Numbers are given out before commits, so whoever reads on from
  // the last one seen would miss what commits late; of the transactions below the oldest running one all is there.
  `create table audit_log (
    id bigint generated always as identity primary key,
    ref_table text not null,
    ref_id int,
    ref_identifier json,
    operation text not null,
    creator_name text,
    execution_id text,
    remote_address text,
    created_at timestamptz not null default clock_timestamp(),
    xact xid8 not null default pg_current_xact_id()
  )`,
  'create index audit_log_created on audit_log (created_at, id)',
  'create index audit_log_creator on audit_log (creator_name, created_at, id)',
  'create index audit_log_execution on audit_log (execution_id, created_at, id) where execution_id is not null',
  'create index audit_log_xact on audit_log (xact, id)',
]

const ofTenant = { tenant: tenantName, id: 'id' }
const userName = '(select u.username from users u where u.id = r.user_id)'
const groupName = '(select g.name from user_groups g where g.id = r.group_id)'
const label = (owner: string): AuditedTable => ({
  identifier: { tenant: tenantName, [owner]: owner, key: 'key', value: 'value' },
  creator: 'created_by',
})

const tables: Readonly<Record<string, AuditedTable>> = {
  tenants: { identifier: { name: 'name' }, id: 'id' },
  users: {
    identifier: { username: 'username' },
    id: 'id',
    unaudited: ['first_login_at', 'last_login_at', 'last_failed_login_at'],
    byRequestOnly: ['failed_logins'],
  },
  user_tenants: { identifier: { tenant: tenantName, username: userName } },
  tokens: {
    identifier: { id: 'id', username: userName },
    unaudited: ['last_used'],
  },
  user_groups: { identifier: { name: 'name' }, id: 'id' },
  user_group_members: { identifier: { group: groupName, username: userName } },
  tenant_groups: { identifier: { tenant: tenantName, group: groupName } },
  role_permissions: { identifier: { role: 'role', permission: 'permission' } },

  blueprints: {
    identifier: ofTenant,
    creator: 'created_by',
    byRequestOnly: ['state', 'archive_sha256', 'archive_extension', 'upload_execution_id', 'updated_at'],
  },
  blueprint_labels: label('blueprint_id'),
  deployments: {
    identifier: ofTenant,
    creator: 'created_by',
    unaudited: [
      'installation_status',
      'deployment_status',
      'sub_services_status',
      'sub_environments_status',
      'sub_services_count',
      'sub_environments_count',
      'create_execution_id',
      'latest_execution_id',
    ],
    byRequestOnly: ['updated_at'],
  },
  deployment_labels: label('deployment_id'),
  inter_deployment_dependencies: { identifier: ofTenant, creator: 'created_by' },
  sites: { identifier: { tenant: tenantName, name: 'name' }, creator: 'created_by' },
  // Those that come with the manager are written at each of its starts.
  deployment_filters: { identifier: ofTenant, requestsOnly: true },
  blueprint_filters: { identifier: ofTenant, requestsOnly: true },
  secrets: { identifier: { tenant: tenantName, key: 'key' }, creator: 'created_by' },
  secrets_providers: { identifier: { tenant: tenantName, name: 'name' }, creator: 'created_by' },
  nodes: {
    identifier: { tenant: tenantName, deployment_id: 'deployment_id', id: 'id' },
    creator: 'created_by',
    requestsOnly: true,
  },
  node_instances: { identifier: ofTenant, creator: 'created_by', requestsOnly: true },
  executions: {
    identifier: ofTenant,
    creator: 'created_by',
    unaudited: [
      'total_operations',
      'finished_operations',
      'token_hash',
      'lease_owner',
      'lease_expires_at',
      'lease_fence',
      'step',
    ],
    byRequestOnly: ['status', 'error', 'resume', 'resume_mode', 'started_at', 'ended_at'],
  },

  provider_context: { identifier: { id: 'id', name: 'name' } },
  config: { identifier: { scope: 'scope', name: 'name' }, creator: 'updater_name' },
  maintenance: {
    identifier: { id: 'id' },
    creator: 'requested_by',
    byRequestOnly: ['activated_at'],
  },
  license: { identifier: { customer_id: 'customer_id' } },
  managers: { identifier: { hostname: 'hostname' }, id: 'id', unaudited: ['last_seen'], requestsOnly: true },
  brokers: { identifier: { name: 'name' } },
}
