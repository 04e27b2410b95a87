import { apiVersions, builtRoutes, type Route, routesOf } from '@tutti/api'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestSystem, type TestSystem } from '../../test/test-system.ts'

/**
 * What is documented is what is answered: the fields of the specification's tables are there in every version, and real
 * answers fit the shapes that the OpenAPI documents show.
 */
let system: TestSystem
beforeAll(async () => {
  system = await startTestSystem()
  await system.upload('bp')
  await system.deploy('dep', 'bp', { labels: [{ env: 'test' }] })
  await system.ended(await system.start('dep', 'install'))
  const make = [
    ['POST', '/managers', newManager],
    ['PUT', '/sites/site', { location: '1,2' }],
    ['PUT', '/secrets/key', { value: 'v' }],
    ['PUT', '/secrets-providers', { name: 'provider', type: 'local' }],
    ['PUT', '/filters/deployments/filter', { filter_rules: [rule] }],
    ['PUT', '/filters/blueprints/filter', { filter_rules: [rule] }],
    ['POST', '/user-groups', { group_name: 'group' }],
    ['POST', '/tokens', {}],
    ['PUT', '/deployment-groups/group', { deployment_ids: ['dep'] }],
    ['POST', '/execution-groups', { deployment_group_id: 'group', workflow_id: 'install' }],
  ] as const
  for (const [method, path, body] of make) {
    const { status, text } = await system.inject(method, path, { body })
    expect(status, `${path}: ${text}`).toBeLessThan(300)
  }
})
afterAll(() => system.close())

const newManager = {
  hostname: 'm',
  private_ip: '10.0.0.1',
  public_ip: '10.0.0.1',
  version: '7.1',
  edition: 'premium',
  distribution: 'd',
  distro_release: 'r',
}
const rule = { key: 'env', values: ['test'], operator: 'any_of', type: 'label' }
const owner = ['tenant_name', 'created_by', 'private_resource', 'visibility']
const execution = [
  'id',
  'workflow_id',
  'blueprint_id',
  'deployment_id',
  'status',
  'error',
  'parameters',
  'is_system_workflow',
  'created_at',
  'ended_at',
]
const blueprint = ['id', 'description', 'main_file_name', 'plan', 'created_at', 'updated_at']
const deployment = [
  'id',
  'blueprint_id',
  'description',
  'created_at',
  'updated_at',
  'inputs',
  'outputs',
  'groups',
  'policy_types',
  'policy_triggers',
  'workflows',
]
const node = [
  'id',
  'deployment_id',
  'blueprint_id',
  'type',
  'type_hierarchy',
  'host_id',
  'properties',
  'operations',
  'plugins',
  'plugins_to_install',
  'relationships',
  'number_of_instances',
  'planned_number_of_instances',
  'deploy_number_of_instances',
  'min_number_of_instances',
  'max_number_of_instances',
]
const nodeInstance = [
  'id',
  'node_id',
  'deployment_id',
  'host_id',
  'runtime_properties',
  'relationships',
  'state',
  'version',
]
const event = [
  'type',
  'message',
  'error_causes',
  'blueprint_id',
  'deployment_id',
  'execution_id',
  'workflow_id',
  'node_name',
  'node_instance_id',
  'operation',
  'timestamp',
  'reported_timestamp',
]
const tenant = ['name', 'groups', 'users']
const user = ['username', 'last_login_at', 'role', 'groups', 'active', 'tenants']
const group = ['ldap_dn', 'name', 'tenants', 'users']

/** docs/reference/README.md; docs/reference/rest-conventions.md, "Versions": the fields of the items of each list. */
const documented: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  v2: {
    '/blueprints': blueprint,
    '/deployments': deployment,
    '/executions': execution,
    '/nodes': node,
    '/node_instances': nodeInstance,
    '/events': ['type', 'tags', 'timestamp', '@timestamp', 'message_code', 'context', 'message', '@version'],
  },
  v3: {
    '/blueprints': [...blueprint, ...owner],
    '/deployments': [...deployment, ...owner],
    '/executions': [...execution, 'created_by', 'tenant_name', 'private_resource'],
    '/nodes': [...node, 'tenant_name'],
    '/node-instances': [...nodeInstance, 'tenant_name', 'created_by'],
    '/events': event,
    '/tenants': tenant,
    '/users': user,
    '/user-groups': group,
  },
  'v3.1': {
    '/blueprints': [...blueprint, ...owner, 'labels'],
    '/deployments': [
      ...deployment,
      ...owner,
      'capabilities',
      'site_name',
      'labels',
      'latest_execution_status',
      'installation_status',
      'deployment_status',
      'sub_services_status',
      'sub_environments_status',
      'sub_services_count',
      'sub_environments_count',
      'environment_type',
      'latest_execution_total_operations',
      'latest_execution_finished_operations',
      'display_name',
    ],
    '/executions': [
      ...execution,
      ...owner.slice(0, 3),
      'deployment_display_name',
      'started_at',
      'scheduled_for',
    ],
    '/nodes': [...node, 'tenant_name', 'actual_number_of_instances', 'actual_planned_number_of_instances'],
    '/node-instances': [...nodeInstance, 'tenant_name', 'created_by'],
    '/events': event,
    '/filters/deployments': [
      'id',
      'value',
      'labels_filter_rules',
      'attrs_filter_rules',
      'visibility',
      'resource_availability',
      'private_resource',
      'created_at',
      'updated_at',
      'created_by',
      'tenant_name',
    ],
    '/secrets': [
      'key',
      'created_at',
      'updated_at',
      'visibility',
      'is_hidden_value',
      'tenant_name',
      'created_by',
    ],
    '/sites': ['name', 'location', 'visibility', 'tenant_name', 'created_at', 'created_by'],
    '/managers': [
      'id',
      'hostname',
      'private_ip',
      'public_ip',
      'version',
      'edition',
      'distribution',
      'distro_release',
      'fs_sync_node_id',
      'networks',
      'ca_cert_content',
    ],
    '/tokens': ['value', 'role'],
    '/tenants': tenant,
    '/users': user,
    '/user-groups': group,
  },
}

describe.each(Object.keys(documented))('%s', (version) => {
  test.each(Object.entries(documented[version] ?? {}))('%s', async (path, fields) => {
    const { status, body } = await system.inject('GET', `/api/${version}${path}`)
    expect(status).toBe(200)
    expect(body.metadata.pagination).toEqual({
      total: expect.any(Number),
      offset: 0,
      size: expect.any(Number),
    })
    expect(body.items.length).toBeGreaterThan(0)
    for (const field of fields) expect(body.items[0]).toHaveProperty(field)
  })
})

/** Deployments and the like by the ids that were made above. */
const ids: Readonly<Record<string, string>> = {
  blueprint_id: 'bp',
  deployment_id: 'dep',
  site_name: 'site',
  secret_key: 'key',
  provider_name: 'provider',
  filter_id: 'filter',
  group_name: 'group',
  group_id: 'group',
  tenant_name: 'default_tenant',
  username: 'admin',
  role: 'viewer',
  label_key: 'env',
  name: 'monitoring_timeout',
}
const queries: Readonly<Record<string, string>> = {
  'tasksGraphs.list': '?execution_id=EXECUTION',
  'operations.list': '?execution_id=EXECUTION',
}

describe.each(apiVersions)('answers of %s fit the schemas', (version) => {
  const readable = routesOf(version).filter(
    ({ name, route }) =>
      Object.hasOwn(builtRoutes, name) &&
      route.method === 'GET' &&
      route.base === 'api' &&
      // Their ids are made up by the manager, or there is none yet; what they answer is in the lists too.
      !['agents.get', 'executionGroups.get'].includes(name) &&
      typeof route.response === 'object' &&
      [...route.path.matchAll(/:(\w+)/g)].every(([, name = '']) => name in ids),
  )

  test.each(readable.map(({ name, route }) => [name, route] as const))('%s', async (name, route: Route) => {
    const [execution] = (await system.inject('GET', '/executions?workflow_id=install')).body.items
    const target = name.startsWith('summaries.') ? '?_target_field=tenant_name' : (queries[name] ?? '')
    const path = route.path.replaceAll(/:(\w+)/g, (_, key: string) => ids[key] ?? key)
    const url = `/api/${version}${path}${target.replace('EXECUTION', execution.id)}`
    const { status, body, text } = await system.inject('GET', url)
    expect(status, text).toBe(200)
    const differences = [...Value.Errors(route.response as TSchema, body)]
    expect(differences, `${url}: ${text.slice(0, 1_000)}`).toEqual([])
  })
})
