/**
 * What the measured requests answer, by the simplest SQL: one statement, no rights, no totals, nothing that is computed
 * from other tables. `$1` is what the request names.
 */
const ofDeployment = `id, display_name, blueprint_id, description, inputs, outputs, capabilities, groups, scaling_groups,
  policy_types, policy_triggers, resource_tags, site_name, runtime_only_evaluation, create_execution_id,
  latest_execution_id, installation_status, deployment_status, created_at, updated_at, created_by, visibility`

export const floorStatements = {
  'deployment by id': `select ${ofDeployment}, workflows from deployments where tenant_id = 0 and id = $1`,
  deployments: `select ${ofDeployment} from deployments where tenant_id = 0
    order by created_at limit $1`,
  'ids of deployments': 'select id from deployments where tenant_id = 0 order by created_at limit $1',
  blueprints: `select id, description, main_file_name, plan, requirements, is_hidden, state, error, created_at, updated_at, created_by, visibility
    from blueprints where tenant_id = 0 order by created_at limit $1`,
  'last events': `select * from events where tenant_id = 0 and execution_id = $1
    order by reported_timestamp desc, id desc limit $2`,
  events: `select * from events where tenant_id = 0 and execution_id = $1
    order by reported_timestamp, id limit $2`,
  'events as stored': `select * from events where tenant_id = 0 and execution_id = $1
    order by timestamp, id limit $2`,
  'events of all': 'select * from events where tenant_id = 0 order by timestamp, id limit $1',
  'search by label': `select ${ofDeployment} from deployments d where d.tenant_id = 0 and d.id in (
      select deployment_id from deployment_labels where tenant_id = 0 and key = $1 and value = $2)
    order by created_at`,
  secret: `insert into secrets (tenant_id, key, value, created_by) values (0, $1, $2, 'admin')
    on conflict (tenant_id, key) do update set value = excluded.value, updated_at = clock_timestamp()
    returning key, value, created_at, updated_at, created_by, visibility`,
} as const

export type FloorStatement = keyof typeof floorStatements

export const isFloorStatement = (name: string): name is FloorStatement => Object.hasOwn(floorStatements, name)

export const floorPath = (statement: FloorStatement, ...values: readonly string[]): string =>
  `/${encodeURIComponent(statement)}?${values.map((value) => `v=${encodeURIComponent(value)}`).join('&')}`
