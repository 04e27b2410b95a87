import { apiVersions, builtRoutes, routesOf } from '@tutti/api'
import { builtInMapping } from '@tutti/engine'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { addBlueprint, addDeployment, addExecution, addPlugin, addTenant, addUser } from '../test/fixtures.ts'
import {
  headersOf,
  passwordOf,
  startTestManager,
  type TestManager,
  type TestRequest,
} from '../test/test-manager.ts'

/**
 * Attacks: everybody else tries to get at what is private to Alice, by every way that answers something. Whatever is
 * hers has a name that begins with `zq`, and a twin of the same name with `no` in its place that does not exist: to
 * others the two must be alike (docs/reference/rest-conventions.md, "Visibility").
 */
let manager: TestManager
let home: number

const shared = 'shared'
const graph = 'zq-graph'

beforeAll(async () => {
  manager = await startTestManager()
  const { db } = manager
  home = await addTenant(db, 'home')
  const away = await addTenant(db, 'away')
  await addUser(db, 'alice', { tenants: { [home]: 'user' } })
  await addUser(db, 'bob', { tenants: { [home]: 'user' } })
  await addUser(db, 'oscar', { tenants: { [home]: 'operations' } })
  await addUser(db, 'vera', { tenants: { [home]: 'viewer' } })
  await addUser(db, 'chief', { tenants: { [home]: 'manager' } })
  await addUser(db, 'root', { role: 'sys_admin' })
  await addUser(db, 'stranger', { tenants: { [away]: 'manager' } })
  await addUser(db, 'both', { tenants: { [home]: 'viewer', [away]: 'manager' } })
  const grouped = await addUser(db, 'grouped')
  const { id: group } = await db
    .insertInto('user_groups')
    .values({ name: 'users-of-home', role: 'default' })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db.insertInto('user_group_members').values({ group_id: group, user_id: grouped }).execute()
  await db.insertInto('tenant_groups').values({ tenant_id: home, group_id: group, role: 'user' }).execute()
  await makeWorld()
})
afterAll(() => manager.close())

async function makeWorld() {
  const { db } = manager
  const hers = { tenantId: home, visibility: 'private', createdBy: 'alice' } as const
  await addDeployment(db, shared, {
    tenantId: home,
    createdBy: 'chief',
    nodes: [{ id: 'node', instances: [{ id: 'shared_1' }] }],
  })
  await addDeployment(db, 'bobs', {
    tenantId: home,
    createdBy: 'bob',
    nodes: [{ id: 'node', instances: [{ id: 'bobs_1' }] }],
  })
  await addDeployment(db, 'zq-deployment', {
    ...hers,
    blueprintId: 'zq-blueprint',
    displayName: 'zq-display',
    inputs: { input: 'zq-input' },
    capabilities: { capability: { value: 'zq-capability' } },
    nodes: [
      {
        id: 'zq-node',
        type: 'zq.type',
        properties: { property: 'zq-property' },
        instances: [{ id: 'zq-instance', runtimeProperties: { runtime: 'zq-runtime' } }],
      },
    ],
  })
  await addBlueprint(db, 'zq-failed', hers)
  await db.updateTable('blueprints').set({ state: 'invalid' }).where('id', '=', 'zq-failed').execute()
  const done = async (method: 'PUT' | 'POST' | 'PATCH', path: string, body: object, user = 'alice') => {
    const answer = await manager.inject(method, path, { user, tenant: 'home', body })
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
  }
  const label = { type: 'label', operator: 'any_of', key: 'zq-key', values: ['zq-value'] }
  await done('PATCH', '/deployments/zq-deployment', { labels: [{ 'zq-key': 'zq-value' }] })
  await done('PUT', '/sites/zq-site', { visibility: 'private' })
  await done('POST', '/deployments/zq-deployment/set-site', { site_name: 'zq-site' })
  await done('PUT', '/secrets/zq-secret', { value: 'zq-value', visibility: 'private' })
  await done('PUT', '/secrets-providers', { name: 'zq-provider', type: 'local', visibility: 'private' })
  for (const filtered of ['deployments', 'blueprints']) {
    await done('PUT', `/filters/${filtered}/zq-filter`, { filter_rules: [label], visibility: 'private' })
  }
  await done('PUT', '/deployment-groups/zq-group', {
    visibility: 'private',
    deployment_ids: [shared, 'zq-deployment'],
    labels: [{ 'zq-group-key': 'zq-group-value' }],
  })
  // What everybody sees, and leads to what nobody else does.
  await db.deleteFrom('deployment_labels').where('deployment_id', '=', shared).execute()
  await done('PUT', '/deployment-groups/open', { deployment_ids: [shared, 'zq-deployment'] })
  await done('PUT', '/deployments/inter-deployment-dependencies', {
    dependency_creator: 'zq.get_capability',
    source_deployment: 'zq-deployment',
    target_deployment: shared,
  })
  await db
    .insertInto('agents')
    .values({
      tenant_id: home,
      id: 'zq-agent',
      node_instance_id: 'zq-instance',
      state: 'started',
      visibility: 'tenant',
      created_by: 'alice',
    })
    .execute()
  await addPlugin(db, 'zq-plugin', hers)
  // What everybody sees, installed on an agent that nobody else does.
  await addPlugin(db, 'open-plugin', { tenantId: home, createdBy: 'alice', agents: ['zq-agent'] })
  await db
    .insertInto('deployment_modifications')
    .values({
      tenant_id: home,
      id: 'zq-modification',
      deployment_id: 'zq-deployment',
      modified_nodes: '{}',
      node_instances: '{}',
      context: '"zq-context"',
      created_by: 'alice',
    })
    .execute()
  await db
    .insertInto('deployment_updates')
    .values({
      tenant_id: home,
      id: 'zq-update',
      deployment_id: 'zq-deployment',
      old_blueprint_id: 'zq-blueprint',
      new_blueprint_id: 'zq-blueprint',
      new_inputs: '{"input":"zq-input"}',
      created_by: 'alice',
    })
    .execute()
  // Refused, and kept with what depends on the deployment, where everybody sees it.
  const refused = await manager.inject('POST', '/deployment-updates/shared/update/initiate', {
    ...{ user: 'alice', tenant: 'home', body: {} },
  })
  expect(refused.body).toMatchObject({ error_code: 'dependent_exists_error' })
  expect(refused.text).toContain('zq-deployment')
  await db
    .insertInto('execution_groups')
    .values({
      tenant_id: home,
      id: 'open-executions',
      deployment_group_id: 'open',
      workflow_id: 'install',
      concurrency: 5,
      success_group_id: 'zq-group',
      failure_group_id: null,
      created_by: 'alice',
    })
    .execute()
  const execution = await addExecution(db, { ...hers, deploymentId: 'zq-deployment' })
  await db
    .updateTable('executions')
    .set({ id: 'zq-execution', execution_group_id: 'open-executions' })
    .where('id', '=', execution.id)
    .execute()
  await done('POST', '/tasks_graphs', {
    execution_id: 'zq-execution',
    name: 'zq-tasks',
    graph_id: graph,
    operations: [operation('zq-operation')],
  })
  await done('POST', '/events', {
    execution_id: 'zq-execution',
    logs: [{ message: { text: 'zq-log' }, level: 'info', context: {} }],
  })
  // Of which its group is told.
  await done('PATCH', '/executions/zq-execution', { status: 'failed', error: 'zq-error' })
}

const operation = (id: string, more: object = {}) => ({
  id,
  name: id,
  type: 'RemoteWorkflowTask',
  dependencies: [],
  parameters: { task_kwargs: {} },
  ...more,
})

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Who does not see what is private in `home`, and from where they ask. */
const attackers = [
  { user: 'bob', tenant: 'home' },
  { user: 'grouped', tenant: 'home' },
  { user: 'oscar', tenant: 'home' },
  { user: 'vera', tenant: 'home' },
  { user: 'both', tenant: 'home' },
  { user: 'both', tenant: 'away' },
  { user: 'stranger', tenant: 'away' },
] as const

const nameOf = ({ user, tenant }: { user: string; tenant: string }) => `${user} in ${tenant}`

async function ask(method: Method, path: string, request: TestRequest) {
  const { status, text } = await manager.inject(method, path, request)
  return { status, text }
}

/** The same question about what does not exist. */
const twin = (text: string) => text.replaceAll('zq', 'no')
const twinOf = <Body>(body: Body): Body =>
  body === undefined ? body : JSON.parse(twin(JSON.stringify(body)))

describe('no answer holds what is private to somebody else', () => {
  const lists = apiVersions.flatMap((version) =>
    routesOf(version)
      .filter(({ name, route }) => Object.hasOwn(builtRoutes, name) && route.method === 'GET')
      .map(({ route }) => route.path)
      // Tokens are random texts, which may hold anything.
      .filter((path) => !/[:*]/.test(path) && path !== '/audit/stream' && path !== '/tokens')
      .map((path) => `/api/${version}${path}`),
  )
  const searches = routesOf('v3.1').filter(({ name }) => name.startsWith('searches.'))
  /** What everybody in `home` may read. */
  const open = [
    '/deployments/shared',
    '/deployments/shared?all_sub_deployments=false',
    '/deployments?_sort=label:csys-consumer-id&_include=id,labels,deployment_groups',
    '/deployment-groups/open',
    '/execution-groups/open-executions',
    '/execution-groups?_include=id,execution_ids,status,success_group_id',
    '/executions?_include_system_workflows=true',
    '/executions?execution_group_id=open-executions',
    '/executions?_group_id=open-executions',
    '/events?execution_group_id=open-executions',
    '/labels/deployments/csys-consumer-id',
    '/labels/deployments?_search=zq',
    '/agents?_get_data=true',
    '/plugins/open-plugin',
    '/plugins?_include=id,installation_state',
    '/nodes?_evaluate_functions=true',
    '/secrets/share/export?_all_tenants=true',
    '/blueprints?is_hidden=true&is_hidden=false',
    ...['blueprints', 'executions', 'nodes', 'node_instances'].map(
      (name) => `/summary/${name}?_target_field=visibility`,
    ),
    '/summary/deployments?_target_field=site_name&_sub_field=blueprint_id',
    '/summary/nodes?_target_field=deployment_id',
    '/summary/executions?_target_field=deployment_id&_sub_field=workflow_id',
  ].map((path) => `/api/v3.1${path}`)

  test.each(attackers)('$user in $tenant', async (attacker) => {
    for (const path of [...lists, ...open]) {
      for (const query of ['', '_all_tenants=true', '_size=1&_offset=0', '_all_tenants=true&_search=z']) {
        const whole = query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`
        const { text } = await ask('GET', whole, attacker)
        expect(text, whole).not.toContain('zq')
        // Nor how many there are: a summary of what is private to others is empty.
        expect(text, whole).not.toMatch(/"visibility":"private","\w+":[1-9]/)
      }
    }
    const payload = { labels: { get_label: 'csys-consumer-id' }, consumers: { get_consumers: 'ids' } }
    const evaluated = await ask('POST', '/evaluate/functions', {
      ...attacker,
      body: { deployment_id: shared, payload },
    })
    expect(evaluated.text).not.toContain('zq')
    for (const { route } of searches) {
      for (const query of ['', '?_all_tenants=true', '?deployment_id=shared', '?blueprint_id=blueprint']) {
        if (route.method !== 'POST') continue
        const { text } = await ask('POST', `${route.path}${query}`, { ...attacker, body: {} })
        expect(text, route.path + query).not.toContain('zq')
      }
    }
  })

  test.each(['alice', 'chief', 'root'])('%s sees all of it', async (user) => {
    const request = { user, tenant: 'home' }
    const { body } = await manager.inject('GET', '/deployments/shared', request)
    expect(body.deployment_groups).toEqual(['open', 'zq-group'])
    expect(body.labels).toMatchObject([{ key: 'csys-consumer-id', value: 'zq-deployment' }])
    for (const path of [
      '/labels/deployments/csys-consumer-id',
      '/deployments/inter-deployment-dependencies',
      '/agents',
      '/plugins/open-plugin',
      '/execution-groups/open-executions',
      '/deployment-groups/open',
      '/events?execution_group_id=open-executions',
    ]) {
      expect((await ask('GET', path, request)).text, path).toContain('zq')
    }
  })
})

const codeOf = (text: string): string => (text === '' ? '' : (JSON.parse(text).error_code ?? ''))

type Question = readonly [Method, string, unknown?]

/** Questions that name what is Alice's. */
const questions: readonly Question[] = [
  // By id.
  ['GET', '/blueprints/zq-blueprint'],
  ['GET', '/blueprints/zq-blueprint/archive'],
  ['PATCH', '/blueprints/zq-blueprint', { labels: [] }],
  ['PATCH', '/blueprints/zq-blueprint/set-visibility', { visibility: 'tenant' }],
  ['DELETE', '/blueprints/zq-blueprint'],
  ['DELETE', '/blueprints/zq-blueprint?force=true'],
  ['GET', '/deployments/zq-deployment'],
  ['GET', '/deployments/zq-deployment/outputs'],
  ['GET', '/deployments/zq-deployment/capabilities'],
  ['GET', '/deployments/zq-deployment/verify'],
  ['PATCH', '/deployments/zq-deployment', { labels: [] }],
  ['PATCH', '/deployments/zq-deployment/set-visibility', { visibility: 'tenant' }],
  ['POST', '/deployments/zq-deployment/set-site', { detach_site: true }],
  ['DELETE', '/deployments/zq-deployment?force=true'],
  ['GET', '/deployments?_dependencies_of=zq-deployment'],
  ['GET', '/sites/zq-site'],
  ['POST', '/sites/zq-site', { location: '1,1' }],
  ['DELETE', '/sites/zq-site'],
  ['GET', '/secrets/zq-secret'],
  ['PATCH', '/secrets/zq-secret', { value: 'other' }],
  ['PATCH', '/secrets/zq-secret/set-visibility', { visibility: 'tenant' }],
  ['DELETE', '/secrets/zq-secret'],
  ['GET', '/secrets-providers/zq-provider'],
  ['PUT', '/secrets-providers', { name: 'zq-provider', test: true }],
  ['PATCH', '/secrets-providers/zq-provider', { type: 'local' }],
  ['DELETE', '/secrets-providers/zq-provider'],
  ['PUT', '/secrets/by-provider', { value: '', provider_name: 'zq-provider' }],
  ...['deployments', 'blueprints'].flatMap((filtered): Question[] => [
    ['GET', `/filters/${filtered}/zq-filter`],
    ['PATCH', `/filters/${filtered}/zq-filter`, { visibility: 'tenant' }],
    ['DELETE', `/filters/${filtered}/zq-filter`],
    ['GET', `/${filtered}?_filter_id=zq-filter`],
    ['POST', `/searches/${filtered}?_filter_id=zq-filter`, {}],
    ['POST', `/searches/${filtered}`, { constraints: { filter_id: 'zq-filter' } }],
  ]),
  ['POST', '/searches/workflows?_filter_id=zq-filter', {}],
  ['GET', '/deployment-groups/zq-group'],
  ['PATCH', '/deployment-groups/zq-group', { add: { deployment_ids: [] } }],
  ['DELETE', '/deployment-groups/zq-group'],
  ['GET', '/executions/zq-execution'],
  ['POST', '/executions/zq-execution', { action: 'resume' }],
  ['PATCH', '/executions/zq-execution', { status: 'failed' }],
  ['GET', '/node-instances/zq-instance'],
  ['GET', '/node-instances/zq-instance?_evaluate_functions=true'],
  ['PATCH', '/node-instances/zq-instance', { version: 9, state: 'deleted' }],
  ['GET', '/deployment-modifications/zq-modification'],
  ['POST', '/deployment-modifications/zq-modification/finish', {}],
  ['POST', '/deployment-modifications/zq-modification/rollback', {}],
  ['GET', '/deployment-modifications?deployment_id=zq-deployment'],
  ['POST', '/deployment-modifications', { deployment_id: 'zq-deployment', nodes: {} }],
  ['GET', '/deployment-updates/zq-update'],
  ['GET', '/deployment-updates?deployment_id=zq-deployment'],
  ['POST', '/deployment-updates/zq-deployment/update/initiate', {}],
  ['POST', '/deployment-updates/zq-deployment/update/initiate', { preview: true, force: true }],
  ['PUT', '/deployment-updates/zq-deployment/update/initiate', { preview: true }],
  ['POST', '/deployment-updates/zq-update/update/finalize', {}],
  ['GET', '/agents/zq-agent'],
  ['PATCH', '/agents/zq-agent', { state: 'failed' }],
  ['GET', '/plugins/zq-plugin'],
  ['GET', '/plugins/zq-plugin/archive'],
  ['GET', '/plugins/zq-plugin/archive?full_archive=true'],
  ['GET', '/plugins/zq-plugin/yaml'],
  ['GET', '/plugins?package_name=zq-plugin'],
  ['GET', '/plugins?_search=zq-plugin'],
  ['POST', '/plugins/zq-plugin', { action: 'install' }],
  ['PUT', '/plugins/zq-plugin', { state: 'installed', agent: 'zq-agent' }],
  ['PATCH', '/plugins/zq-plugin', { labels: {} }],
  ['PATCH', '/plugins/zq-plugin/set-visibility', { visibility: 'tenant' }],
  ['DELETE', '/plugins/zq-plugin'],
  ['DELETE', '/plugins/zq-plugin?force=true'],
  ['POST', '/plugins/open-plugin', { action: 'install', agents: ['zq-agent'] }],
  ['PUT', '/plugins/open-plugin', { state: 'installed', agent: 'zq-agent' }],
  ['GET', '/resources/plugins/zq-plugin/plugin.yaml'],
  ['GET', '/operations/zq-operation'],
  ['PATCH', '/operations/zq-operation', { state: 'succeeded' }],
  ['DELETE', '/operations/zq-operation'],
  ['GET', `/operations?graph_id=${graph}`],
  ['GET', '/operations?execution_id=zq-execution'],
  ['GET', '/tasks_graphs?execution_id=zq-execution'],
  ['PATCH', `/tasks_graphs/${graph}`, { state: 'x' }],
  ['GET', '/resources/blueprints/home/zq-blueprint/x'],
  ['GET', '/resources/deployments/home/zq-deployment/x'],
  // In lists and searches.
  ['GET', '/deployments?_group_id=zq-group'],
  ['GET', '/deployments?deployment_group_id=zq-group'],
  ['GET', '/executions?deployment_group_id=zq-group'],
  ['GET', '/nodes?deployment_group_id=zq-group'],
  ['GET', '/node-instances?deployment_group_id=zq-group'],
  ['GET', '/workflows?_group_id=zq-group'],
  ['GET', '/workflows?deployment_group_id=zq-group'],
  ['GET', '/summary/deployments?_target_field=visibility&deployment_group_id=zq-group'],
  ['GET', '/summary/node_instances?_target_field=state&deployment_group_id=zq-group'],
  ['POST', '/searches/deployments?_group_id=zq-group', {}],
  ['GET', '/deployments?site_name=zq-site'],
  ['GET', '/deployments/inter-deployment-dependencies?source_deployment_id=zq-deployment'],
  ['GET', '/nodes?deployment_id=zq-deployment'],
  ['GET', '/nodes?deployment_id=zq-deployment&_evaluate_functions=true'],
  ['GET', '/node-instances?node_id=zq-node'],
  ['GET', '/events?execution_id=zq-execution'],
  ['GET', '/events?message=zq%25'],
  ['GET', '/agents?deployment_id=zq-deployment'],
  ['GET', '/labels/deployments/zq-key'],
  ['GET', '/labels/deployment_groups/zq-group-key'],
  ...['any_of', 'not_any_of', 'is_not'].map((operator): Question => {
    const rule = { type: 'label', key: 'csys-consumer-id', operator, values: ['zq-deployment'] }
    return ['POST', '/searches/deployments', { filter_rules: [rule] }]
  }),
  ['POST', '/searches/nodes?deployment_id=zq-deployment', {}],
  ['POST', '/searches/nodes?blueprint_id=zq-blueprint', {}],
  ['POST', '/searches/node-types?deployment_id=zq-deployment', {}],
  ['POST', '/searches/capabilities?deployment_id=zq-deployment', {}],
  ['POST', '/searches/scaling-groups?deployment_id=zq-deployment', {}],
  ['POST', '/searches/node-instances', { constraints: { deployment_id: 'zq-deployment' } }],
  ['POST', '/searches/secrets', { constraints: { valid_values: ['zq-secret'] } }],
  // Within functions.
  ['POST', '/evaluate/functions', { deployment_id: 'zq-deployment', payload: { x: 1 } }],
  ...[
    { get_secret: 'zq-secret' },
    { get_capability: ['zq-deployment', 'capability'] },
    { get_attribute: ['zq-node', 'runtime'] },
    { get_property: ['zq-node', 'property'] },
  ].map((fun): Question => ['POST', '/evaluate/functions', { deployment_id: shared, payload: { fun } }]),
  // As what something else points at.
  ['PUT', '/deployments/mine', { blueprint_id: 'zq-blueprint' }],
  ['PUT', '/deployments/mine', { blueprint_id: 'blueprint', site_name: 'zq-site' }],
  ['POST', '/deployment-updates/bobs/update/initiate', { blueprint_id: 'zq-blueprint' }],
  ['POST', '/deployments/bobs/set-site', { site_name: 'zq-site' }],
  ['PATCH', '/deployments/bobs', { labels: [{ 'csys-obj-parent': 'zq-deployment' }] }],
  // It depends on that one itself: that would be a circle, of which nobody may learn.
  ['PATCH', '/deployments/shared', { labels: [{ 'csys-obj-parent': 'zq-deployment' }] }],
  ...['bobs', shared].map(
    (source): Question => [
      'PUT',
      '/deployments/inter-deployment-dependencies',
      { dependency_creator: 'x', source_deployment: source, target_deployment: 'zq-deployment' },
    ],
  ),
  [
    'PUT',
    '/deployments/inter-deployment-dependencies',
    { dependency_creator: 'x', external_source: { deployment: 'x' }, target_deployment: 'zq-deployment' },
  ],
  [
    'DELETE',
    '/deployments/inter-deployment-dependencies',
    {
      dependency_creator: 'zq.get_capability',
      source_deployment: 'zq-deployment',
      target_deployment: shared,
    },
  ],
  ['PUT', '/deployment-groups/mine', { deployment_ids: ['zq-deployment'] }],
  ['PUT', '/deployment-groups/mine', { deployments_from_group: 'zq-group' }],
  ['PUT', '/deployment-groups/mine', { filter_id: 'zq-filter' }],
  ['PUT', '/deployment-groups/mine', { blueprint_id: 'zq-blueprint' }],
  ['PATCH', '/deployment-groups/open', { remove: { deployment_ids: ['zq-deployment'] } }],
  ['PATCH', '/execution-groups/open-executions', { success_group_id: 'zq-group' }],
  ['POST', '/execution-groups', { deployment_group_id: 'zq-group', workflow_id: 'install' }],
  ['POST', '/executions', { deployment_id: 'zq-deployment', workflow_id: 'install' }],
  ['POST', '/nodes', { deployment_id: 'zq-deployment', nodes: [{ id: 'x', type: 'x' }] }],
  ['POST', '/node-instances', { deployment_id: 'zq-deployment', node_instances: [] }],
  ['PUT', '/agents/mine', { node_instance_id: 'zq-instance', state: 'started', create_rabbitmq_user: false }],
  [
    'POST',
    '/events',
    { execution_id: 'zq-execution', logs: [{ message: { text: 'x' }, level: 'info', context: {} }] },
  ],
  ['POST', '/tasks_graphs', { execution_id: 'zq-execution', name: 'install', operations: [] }],
  ['PUT', '/operations/mine', { ...operation('mine'), graph_id: graph }],
  [
    'POST',
    '/operations',
    { action: 'update-stored', deployment_id: 'zq-deployment', node_id: 'zq-node', operation: 'x' },
  ],
]

describe('what is private to somebody else is answered as what does not exist', () => {
  test.each(questions.map((question) => ({ question })))('$question', async ({ question }) => {
    const [method, path, body] = question
    for (const attacker of attackers) {
      const real = await ask(method, path, { ...attacker, body })
      const none = await ask(method, twin(path), { ...attacker, body: twinOf(body) })
      expect({ ...real, text: twin(real.text) }, nameOf(attacker)).toEqual(none)
      expect(real.status, real.text).toBeLessThan(500)
      // Bob may do all of it with what he sees, so that it is not for something else that he is refused.
      if (attacker.user === 'bob')
        expect(codeOf(real.text), real.text).not.toMatch(/bad_param|forbidden|allowed/)
    }
  })
})

describe('refusals count what they may not name', () => {
  const bob = { user: 'bob', tenant: 'home' }
  const chief = { user: 'chief', tenant: 'home' }

  test('what a deployment is needed by, also where the refusal is kept', async () => {
    const refused = await ask('DELETE', '/deployments/shared', bob)
    expect(refused.text).toContain('A private deployment uses capabilities of the current deployment')
    expect((await ask('DELETE', '/deployments/shared', chief)).text).toContain(
      'Deployment `zq-deployment` uses',
    )
    await manager.db
      .updateTable('deployments')
      .set({ workflows: JSON.stringify({ stop: workflow }), installation_status: 'active' })
      .where('id', 'in', [shared, 'zq-deployment'])
      .execute()
    const body = { deployment_id: shared, workflow_id: 'stop' }
    expect((await ask('POST', '/executions', { ...chief, body })).text).toContain('`zq-deployment`')
    expect((await ask('POST', '/executions', { ...bob, body })).text).toContain('A private deployment uses')
    const kept = await ask('GET', '/executions?workflow_id=stop&_include=status,error', bob)
    expect(
      kept.text.match(/"failed","error":"Error preparing execution: [^"]+A private deployment/g),
    ).toHaveLength(2)
    expect(kept.text).not.toContain('zq')
  })

  test('what was made from a blueprint, and what imports it', async () => {
    const { db } = manager
    await addBlueprint(db, 'base', { tenantId: home, createdBy: 'chief', visibility: 'global' })
    const importer = async (id: string, visibility: 'private' | 'tenant') => {
      await addBlueprint(db, id, { tenantId: home, visibility, createdBy: 'alice' })
      await db
        .updateTable('blueprints')
        .set({ imported_blueprints: ['base'] })
        .where('id', '=', id)
        .execute()
    }
    await importer('zq-importer', 'private')
    const remove = async () => (await ask('DELETE', '/blueprints/base', bob)).text
    expect(await remove()).toContain('Imported by: 1 that you do not see')
    await importer('importer', 'tenant')
    expect(await remove()).toContain('Imported by: importer and 1 other"')
    await db.deleteFrom('blueprints').where('id', 'in', ['importer', 'zq-importer']).execute()
    const { id: away } = await db
      .selectFrom('tenants')
      .select('id')
      .where('name', '=', 'away')
      .executeTakeFirstOrThrow()
    for (const id of ['zq-theirs', 'zq-more']) {
      await addDeployment(db, id, { tenantId: away })
      await db
        .updateTable('deployments')
        .set({ blueprint_id: 'base', blueprint_tenant_id: home })
        .where('id', '=', id)
        .execute()
    }
    expect(await remove()).toContain('depend on it: 2 that you do not see')
    await db.deleteFrom('deployments').where('id', 'in', ['zq-theirs', 'zq-more']).execute()
  })

  test('what a secrets provider keeps', async () => {
    await ask('PUT', '/secrets-providers', { ...bob, body: { name: 'keeper', type: 'local' } })
    const secret = { value: 'x', provider_name: 'keeper', visibility: 'private' }
    await ask('PUT', '/secrets/zq-kept', { user: 'alice', tenant: 'home', body: secret })
    const refused = await ask('DELETE', '/secrets-providers/keeper', bob)
    expect(refused.text).toContain('There are secrets that use it: 1 that you do not see')
  })
})

const workflow = {
  ...builtInMapping('install'),
  parameters: {},
  is_cascading: false,
  availability_rules: null,
}

describe('nobody changes what they do not see', () => {
  const bob = { user: 'bob', tenant: 'home' }

  test('members of a group', async () => {
    const members = async (user: string) =>
      (await manager.inject('GET', '/deployment-groups/open', { user, tenant: 'home' })).body.deployment_ids
    await ask('PUT', '/deployment-groups/open', { ...bob, body: { deployment_ids: ['bobs'] } })
    expect(await members('bob')).toEqual(['bobs'])
    expect(await members('alice')).toEqual(['bobs', 'zq-deployment'])
    await ask('PUT', '/deployment-groups/open', { ...bob, body: { deployment_ids: [shared] } })
  })

  test('a group that gets what has succeeded gets what its owner sees', async () => {
    await manager.db
      .updateTable('executions')
      .set({ status: 'terminated' })
      .where('id', '=', 'zq-execution')
      .execute()
    await ask('PUT', '/deployment-groups/done', { ...bob, body: { labels: [{ spy: 'bob' }] } })
    const body = { success_group_id: 'done' }
    expect((await ask('PATCH', '/execution-groups/open-executions', { ...bob, body })).status).toBe(200)
    const { text } = await ask('GET', '/deployments/zq-deployment', { user: 'alice', tenant: 'home' })
    expect(text).not.toContain('spy')
    await manager.db
      .updateTable('executions')
      .set({ status: 'failed' })
      .where('id', '=', 'zq-execution')
      .execute()
  })

  test('updates of deployments, by an execution of their own', async () => {
    const { token } = await addExecution(manager.db, {
      tenantId: home,
      createdBy: 'bob',
      deploymentId: 'bobs',
    })
    const questions: readonly Question[] = [
      ['PUT', '/deployment-updates/new', { deployment_id: 'zq-deployment' }],
      ['PUT', '/deployment-updates/zq-update', { deployment_id: 'zq-deployment' }],
      ['PATCH', '/deployment-updates/zq-update', { state: 'failed' }],
    ]
    for (const [method, path, body] of questions) {
      const own = { executionToken: token, tenant: 'home' }
      const real = await ask(method, path, { ...own, body })
      const none = await ask(method, twin(path), { ...own, body: twinOf(body) })
      expect({ ...real, text: twin(real.text) }).toEqual(none)
      expect(real.status).toBe(404)
    }
  })

  test('uploads and deployments that have failed', async () => {
    const upload = await manager.app.inject({
      method: 'PUT',
      url: '/api/v3.1/blueprints/zq-failed?blueprint_archive_url=http://127.0.0.1:1/x&async_upload=true',
      headers: { ...headersOf(bob) },
    })
    expect(upload.json().error_code).toBe('conflict_error')
    const { id } = await addExecution(manager.db, { tenantId: home, status: 'failed', createdBy: 'alice' })
    await addDeployment(manager.db, 'zq-broken', {
      tenantId: home,
      visibility: 'private',
      createdBy: 'alice',
      blueprintId: 'zq-blueprint',
    })
    await manager.db
      .updateTable('deployments')
      .set({ create_execution_id: id })
      .where('id', '=', 'zq-broken')
      .execute()
    const body = { blueprint_id: 'blueprint', skip_plugins_validation: true }
    const created = await manager.inject('PUT', '/deployments/zq-broken?async_create=true', { ...bob, body })
    expect(created.body.error_code).toBe('conflict_error')
    const row = await manager.db
      .selectFrom('deployments')
      .select('created_by')
      .where('id', '=', 'zq-broken')
      .executeTakeFirstOrThrow()
    expect(row.created_by).toBe('alice')
  })

  test('an instance of another deployment, by a task or an event of their own execution', async () => {
    const { id } = await addExecution(manager.db, { tenantId: home, createdBy: 'bob', deploymentId: 'bobs' })
    const task = (name: string, instance: string) =>
      operation(name, {
        type: 'SetNodeInstanceStateTask',
        parameters: { task_kwargs: { node_instance_id: instance, state: 'deleted' } },
      })
    const operations = [task('far', 'zq-instance'), task('near', 'bobs_1')]
    const body = { execution_id: id, name: 'install', operations }
    expect((await ask('POST', '/tasks_graphs', { ...bob, body })).status).toBe(201)
    for (const name of ['far', 'near']) {
      const { status } = await ask('PATCH', `/operations/${name}`, { ...bob, body: { state: 'succeeded' } })
      expect(status).toBe(200)
    }
    const stateOf = async (instance: string) =>
      (await manager.inject('GET', `/node-instances/${instance}`, { user: 'chief', tenant: 'home' })).body
        .state
    expect([await stateOf('zq-instance'), await stateOf('bobs_1')]).toEqual(['uninitialized', 'deleted'])
    const log = (instance: string) => ({
      message: { text: instance },
      level: 'info',
      context: { node_id: instance },
    })
    const logs = [log('zq-instance'), log('bobs_1')]
    await ask('POST', '/events', { ...bob, body: { execution_id: id, logs } })
    const { items } = (
      await manager.inject('GET', `/events?execution_id=${id}&_include=node_name,node_instance_id`, bob)
    ).body
    expect(items.slice(-2)).toEqual([
      { node_name: null, node_instance_id: null },
      { node_name: 'node', node_instance_id: 'bobs_1' },
    ])
  })
})

describe('an execution acts for whoever started it, in its tenant, as long as it runs', () => {
  test.each([
    ['bob', 403],
    ['oscar', 403],
    ['vera', 403],
    ['chief', 403],
    ['root', 201],
    ['alice', 201],
  ])('%s adds operations to one of Alice: %i', async (user, status) => {
    const request = { user, tenant: 'home' }
    // It waits: its worker would run whatever is in its graph by then.
    const { id } = await addExecution(manager.db, {
      tenantId: home,
      createdBy: 'alice',
      deploymentId: shared,
      status: 'queued',
    })
    const body = { execution_id: id, name: 'install', operations: [operation(`${user}-1`)] }
    expect((await ask('POST', '/tasks_graphs', { ...request, body })).status).toBe(status)
    const own = { ...body, graph_id: `of-${user}`, operations: [], name: 'other' }
    await ask('POST', '/tasks_graphs', { user: 'alice', tenant: 'home', body: own })
    const added = { ...operation(`${user}-2`), graph_id: `of-${user}` }
    expect((await ask('PUT', `/operations/${user}-2`, { ...request, body: added })).status).toBe(status)
    await ask('PUT', `/operations/${user}-3`, { user: 'alice', tenant: 'home', body: added })
    const removed = await ask('DELETE', `/operations/${user}-3`, request)
    expect(removed.status, removed.text).toBe(status === 201 ? 204 : status)
  })

  const started = (createdBy: string, more: object = {}) =>
    addExecution(manager.db, { tenantId: home, createdBy, deploymentId: shared, ...more })

  test.each([
    ['POST', '/tokens', {}],
    ['POST', '/users/root', { password: 'another-password' }],
    ['PUT', '/users', { username: 'mallory', password: 'mallory-password', role: 'sys_admin' }],
    ['POST', '/users/bob', { role: 'sys_admin' }],
    ['POST', '/users/active/alice', { action: 'deactivate' }],
    ['POST', '/user-groups', { group_name: 'spies', ldap_group_dn: null, role: 'sys_admin' }],
    ['PUT', '/user-groups/users', { username: 'bob', group_name: 'users-of-home' }],
    ['POST', '/tenants/lair', {}],
    ['PUT', '/tenants/users', { username: 'stranger', tenant_name: 'home', role: 'manager' }],
    ['PUT', '/permissions/viewer/user_update', undefined],
    ['PUT', '/config/max_concurrent_workflows', { value: 1 }],
    ['POST', '/maintenance/activate', {}],
    ['DELETE', '/audit?before=2000-01-01T00:00:00.000Z', undefined],
    ['POST', '/provider/context?update=true', { name: 'x', context: {} }],
  ] as const)('its token does not change what is the whole manager’s: %s %s', async (method, path, body) => {
    const { token: executionToken } = await started('root')
    for (const credentials of [{ executionToken }, { token: executionToken }]) {
      const answer = await manager.inject(method, path, { ...credentials, tenant: 'home', body })
      expect(answer, answer.text).toMatchObject({ status: 403, body: { error_code: 'forbidden_error' } })
      expect(answer.body.message).toContain('is for its tenant')
    }
  })

  test('in an older version, where reading a token makes one, it does not either', async () => {
    const { token: executionToken } = await started('root')
    expect((await manager.inject('GET', '/api/v3/tokens', { executionToken })).status).toBe(403)
  })

  test('it reads in its own tenant only, whoever it acts for', async () => {
    const { db } = manager
    const { id: away } = await db
      .selectFrom('tenants')
      .select('id')
      .where('name', '=', 'away')
      .executeTakeFirstOrThrow()
    await addDeployment(db, 'far', { tenantId: away })
    const { token: executionToken } = await started('root')
    const all = await ask('GET', '/deployments?_all_tenants=true&_include=id', {
      executionToken,
      tenant: 'home',
    })
    expect(all.text).toContain('zq-deployment')
    expect(all.text).not.toContain('far')
    expect((await ask('GET', '/deployments', { executionToken, tenant: 'away' })).status).toBe(403)
    const secret = {
      key: 'brought',
      value: 'x',
      visibility: 'tenant',
      tenant_name: 'away',
      is_hidden_value: false,
      encrypted: false,
    }
    const imported = await manager.inject('POST', '/secrets/share/import', {
      executionToken,
      tenant: 'home',
      body: { secrets_list: [secret], override_collisions: false },
    })
    expect(imported.body.secrets_errors['0']).toHaveProperty('tenant_name')
  })

  test.each(['terminated', 'failed', 'cancelled', 'queued', 'scheduled'])(
    'its token is nothing when it is %s',
    async (status) => {
      const { token: executionToken } = await started('root', { status })
      expect((await ask('GET', '/deployments', { executionToken, tenant: 'home' })).status).toBe(401)
    },
  )
})

describe('nobody gives themselves rights', () => {
  test.each([
    ['POST', '/users/chief', { role: 'sys_admin' }],
    ['POST', '/users/root', { password: 'another-password' }],
    ['PUT', '/users', { username: 'mallory', password: 'mallory-password', role: 'sys_admin' }],
    ['POST', '/user-groups/users-of-home', { role: 'sys_admin' }],
    ['POST', '/user-groups', { group_name: 'chiefs', ldap_group_dn: null, role: 'sys_admin' }],
    ['PUT', '/user-groups/users', { username: 'chief', group_name: 'users-of-home' }],
    ['PUT', '/tenants/users', { username: 'chief', tenant_name: 'away', role: 'manager' }],
    ['PATCH', '/tenants/users', { username: 'chief', tenant_name: 'home', role: 'manager' }],
    ['PUT', '/tenants/user-groups', { group_name: 'users-of-home', tenant_name: 'home', role: 'manager' }],
    ['PUT', '/permissions/manager/user_update', undefined],
    ['DELETE', '/permissions/manager/agent_get', undefined],
    ['PUT', '/filters/deployments/theirs', { filter_rules: [], created_by: 'root' }],
    ['PUT', '/filters/deployments/global', { filter_rules: [], visibility: 'global' }],
    ['PATCH', '/deployments/shared', { creator: 'chief' }],
    ['PUT', '/secrets/old', { value: 'x', created_at: '2000-01-01T00:00:00.000Z' }],
    ['GET', '/users?_include_hash=true', undefined],
    ['GET', '/user?_include_hash=true', undefined],
  ] as const)('the manager of a tenant does not: %s %s', async (method, path, body) => {
    const { status, text } = await ask(method, path, { user: 'chief', tenant: 'home', body })
    expect([401, 403], text).toContain(status)
    expect(text).toMatch(/permitted/)
  })
})

test('nodes and instances go with a deployment that is given away', async () => {
  await addDeployment(manager.db, 'given', {
    tenantId: home,
    visibility: 'private',
    createdBy: 'alice',
    nodes: [{ id: 'node', instances: [{ id: 'given_1' }] }],
  })
  await ask('PATCH', '/deployments/given', { user: 'root', tenant: 'home', body: { creator: 'bob' } })
  for (const path of ['/nodes?deployment_id=given', '/node-instances?deployment_id=given']) {
    const seenBy = async (user: string) =>
      (await manager.inject('GET', path, { user, tenant: 'home' })).body.metadata.pagination.total
    expect([await seenBy('alice'), await seenBy('bob')], path).toEqual([0, 1])
  }
})

test('a secret is kept by a provider of its own tenant, not by one of where it is imported from', async () => {
  const provider = { name: 'of-home', type: 'local' }
  await ask('PUT', '/secrets-providers', { user: 'root', tenant: 'home', body: provider })
  const secret = {
    key: 'led',
    visibility: 'tenant',
    tenant_name: 'away',
    is_hidden_value: false,
    provider: 'of-home',
  }
  const imported = await manager.inject('POST', '/secrets/share/import', {
    user: 'root',
    tenant: 'home',
    body: { secrets_list: [secret, { ...secret, tenant_name: 'home' }], override_collisions: false },
  })
  expect(imported.body.secrets_errors).toEqual({ 0: { provider: expect.stringContaining('of-home') } })
})

test('guesses that come together count one after the other', async () => {
  const lock = (value: number) =>
    ask('PUT', '/config/account_lock_period', { user: 'root', tenant: null, body: { value } })
  expect((await lock(10)).status).toBe(200)
  const login = async (password: string) => {
    const headers = { authorization: `Basic ${btoa(`both:${password}`)}` }
    return (await manager.app.inject({ method: 'GET', url: '/api/v3.1/user', headers })).statusCode
  }
  expect(await login(passwordOf('both'))).toBe(200)
  const guesses = Array.from({ length: 10 }, (_, index) => login(`wrong-${index}`))
  expect(await Promise.all([...guesses, login(passwordOf('both'))])).not.toContain(200)
  await lock(-1)
  // After so many guesses, the next is looked at a second later.
  await vi.waitFor(async () => expect(await login(passwordOf('both'))).toBe(200), { timeout: 30_000 })
})
