import { toJson } from '@tutti/storage'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addBlueprint, addDeployment, addTenant, addUser } from '../../../test/fixtures.ts'
import { startTestManager, type TestManager, type TestRequest } from '../../../test/test-manager.ts'

let manager: TestManager

const labels: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  web: [
    ['env', 'prod'],
    ['team', 'a'],
  ],
  db: [
    ['env', 'dev'],
    ['env', 'prod'],
  ],
  cache: [['env', 'dev']],
  plain: [],
}

beforeAll(async () => {
  manager = await startTestManager()
  const { db } = manager
  const other = await addTenant(db, 'other')
  await addUser(db, 'alice', { tenants: { 0: 'user' } })
  await addUser(db, 'bob', { tenants: { 0: 'viewer', [other]: 'viewer' } })
  const workflow = (name: string) => ({
    plugin: 'p',
    operation: name,
    parameters: {},
    is_cascading: false,
    availability_rules: null,
  })
  for (const [id, pairs] of Object.entries(labels)) {
    await addDeployment(db, id, {
      blueprintId: `of_${id}`,
      displayName: `The-${id}_50%`,
      createdBy: id === 'web' ? 'alice' : 'admin',
      capabilities: { [`${id}_port`]: { value: 80 }, address: { value: { get_input: 'a' } } },
      scalingGroups: { group: { members: ['vm'], properties: { min_instances: 1 } } },
      nodes: [
        { id: 'vm', type: 'cloudify.nodes.Compute', instances: [{ id: `${id}_vm`, state: 'started' }] },
        { id: 'app', type: 'cloudify.nodes.Root' },
      ],
    })
    const workflows = { install: workflow('install'), ...(id === 'web' && { heal: workflow('heal') }) }
    await db
      .updateTable('deployments')
      .set({ workflows: toJson(workflows) })
      .where('id', '=', id)
      .execute()
    for (const [key, value] of pairs) {
      for (const [table, column, owner] of [
        ['deployment_labels', 'deployment_id', id],
        ['blueprint_labels', 'blueprint_id', `of_${id}`],
      ] as const) {
        await db
          .insertInto(table)
          .values({ tenant_id: 0, [column]: owner, key, value, created_by: 'admin' } as never)
          .execute()
      }
    }
  }
  await addDeployment(db, 'mine', { createdBy: 'alice', visibility: 'private', blueprintId: 'of_mine' })
  await addDeployment(db, 'elsewhere', { tenantId: other, blueprintId: 'there' })
  await addBlueprint(db, 'planned')
  const plan = {
    nodes: [
      { name: 'vm', type: 'cloudify.nodes.Compute', type_hierarchy: [], properties: { a: 1 } },
      { name: 'app', type: 'cloudify.nodes.Root', type_hierarchy: [], properties: {} },
    ],
    scaling_groups: { group: { members: ['vm'], properties: {} } },
    capabilities: { port: { value: 80 } },
  }
  await db
    .updateTable('blueprints')
    .set({ plan: toJson(plan) })
    .where('id', '=', 'planned')
    .execute()
  await db.updateTable('blueprints').set({ state: 'invalid' }).where('id', '=', 'of_mine').execute()
})
afterAll(() => manager.close())

const search = (kind: string, body: unknown = {}, request: TestRequest = {}, query = '') =>
  manager.inject('POST', `/searches/${kind}?${query}`, { ...request, body })
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape is what they test
const field = (answer: { body: any }, name: string) =>
  answer.body.items.map((item: Record<string, unknown>) => item[name]).sort()
const rule = (type: string, key: string, operator: string, ...values: string[]) => ({
  type,
  key,
  operator,
  values,
})
const label = (operator: string, ...values: string[]) => rule('label', 'env', operator, ...values)
const attribute = (key: string, operator: string, ...values: string[]) =>
  rule('attribute', key, operator, ...values)

describe.each([
  ['deployments', (id: string) => id],
  ['blueprints', (id: string) => `of_${id}`],
] as const)('%s by labels', (kind, nameOf) => {
  test.each<[string, object[], string[]]>([
    ['any_of', [label('any_of', 'prod')], ['web', 'db']],
    ['any_of of several', [label('any_of', 'prod', 'dev')], ['web', 'db', 'cache']],
    ['values in their case', [label('any_of', 'PROD')], []],
    ['not_any_of: has another value', [label('not_any_of', 'prod')], ['db', 'cache']],
    ['is_null', [label('is_null')], ['plain', 'mine']],
    ['is_not_null', [label('is_not_null')], ['web', 'db', 'cache']],
    ['is_not', [label('is_not', 'prod')], ['cache', 'plain', 'mine']],
    ['both', [label('any_of', 'prod'), rule('label', 'TEAM', 'any_of', 'a')], ['web']],
    ['none that has both', [label('is_null'), label('is_not_null')], []],
    ['no rules', [], ['web', 'db', 'cache', 'plain', 'mine']],
  ])('%s', async (_what, rules, expected) => {
    const query = kind === 'blueprints' ? '_search=of_' : ''
    const answer = await search(kind, { filter_rules: rules }, {}, query)
    expect(answer.status).toBe(200)
    expect(field(answer, 'id')).toEqual(expected.map(nameOf).sort())
  })
})

test.each<[string, object[], string[]]>([
  ['any_of', [attribute('blueprint_id', 'any_of', 'of_web', 'of_db')], ['web', 'db']],
  ['not_any_of', [attribute('created_by', 'not_any_of', 'admin')], ['web', 'mine']],
  ['null fits nothing', [attribute('site_name', 'not_any_of', 'x')], []],
  ['contains', [attribute('display_name', 'contains', 'web')], ['web']],
  ['contains, in its case', [attribute('display_name', 'contains', 'WEB')], []],
  ['contains, literally', [attribute('display_name', 'contains', 'b_5', 'n_50')], ['web', 'db', 'plain']],
  ['not_contains', [attribute('id', 'not_contains', 'e', 'n')], ['db']],
  ['starts_with, in any case', [attribute('display_name', 'starts_with', 'tHE-w', 'THE-D')], ['web', 'db']],
  ['starts_with, literally', [attribute('display_name', 'starts_with', '_')], []],
  ['ends_with', [attribute('id', 'ends_with', 'B')], ['web', 'db']],
  ['is_not_empty', [attribute('site_name', 'is_not_empty')], []],
  ['schedules', [attribute('schedules', 'is_not_empty')], []],
  [
    'installation_status',
    [attribute('installation_status', 'any_of', 'inactive')],
    ['web', 'db', 'cache', 'plain', 'mine'],
  ],
  ['tenant_name', [attribute('tenant_name', 'any_of', 'other')], []],
  ['with a label', [attribute('id', 'contains', 'b'), label('any_of', 'dev')], ['db']],
])('deployments by attributes: %s', async (_what, rules, expected) => {
  expect(field(await search('deployments', { filter_rules: rules }), 'id')).toEqual([...expected].sort())
})

test('constraints are those of inputs', async () => {
  const ids = async (constraints: unknown) => field(await search('deployments', { constraints }), 'id')
  expect(await ids({ labels: [{ env: ['prod'] }, { team: 'a' }] })).toEqual(['web'])
  expect(await ids({ valid_values: ['db', 'nope'] })).toEqual(['db'])
  expect(await ids({ name_pattern: { contains: 'e', ends_with: '50%' } })).toEqual([
    'cache',
    'db',
    'plain',
    'web',
  ])
  expect(await ids({ name_pattern: { equals_to: 'The-db_50%' } })).toEqual(['db'])
  expect(await ids({ tenants: ['other'] })).toEqual([])
  expect(
    field(await search('blueprints', { constraints: { name_pattern: { starts_with: 'OF_W' } } }), 'id'),
  ).toEqual(['of_web'])
  const all = { user: 'bob' }
  expect(
    field(
      await search('deployments', { constraints: { tenants: ['other'] } }, all, '_all_tenants=true'),
      'id',
    ),
  ).toEqual(['elsewhere'])
})

test('rules are added to those of stored filters', async () => {
  await manager.inject('PUT', '/filters/deployments/prod', {
    body: { filter_rules: [label('any_of', 'prod')] },
  })
  const dev = { filter_rules: [label('any_of', 'dev')] }
  expect(field(await search('deployments', dev, {}, '_filter_id=prod'), 'id')).toEqual(['db'])
  expect(field(await search('deployments', {}, {}, '_filter_id=prod'), 'id')).toEqual(['db', 'web'])
  expect(field(await search('deployments', { constraints: { filter_id: 'prod' } }), 'id')).toEqual([
    'db',
    'web',
  ])
  expect((await search('deployments', {}, {}, '_filter_id=nope')).status).toBe(404)
})

test('a search takes what lists take, and passes over what it does not know', async () => {
  const answer = await search(
    'deployments',
    { filter_rules: [label('is_not_null')] },
    {},
    '_include=id&_sort=-id&_size=2&_offset=1&nonsense=1&blueprint_id=of_web&blueprint_id=of_db&blueprint_id=of_cache',
  )
  expect(answer.body).toEqual({
    items: [{ id: 'db' }, { id: 'cache' }],
    metadata: { pagination: { total: 3, offset: 1, size: 2 }, filtered: 2 },
  })
  expect(field(await search('deployments', {}, {}, '_search=we&_search_name=CACHE'), 'id')).toEqual([
    'cache',
    'web',
  ])
  expect((await search('deployments')).body.metadata.filtered).toBeNull()
  // Somebody else's private one is not found, nor counted.
  const seen = await search('deployments', { filter_rules: [label('is_null')] }, { user: 'bob' })
  expect(seen.body).toMatchObject({ items: [{ id: 'plain' }], metadata: { filtered: 3 } })
})

test.each<[string, string, unknown, string]>([
  ['both', 'deployments', { filter_rules: [], constraints: {} }, 'bad_parameters_error'],
  ['an unknown constraint', 'deployments', { constraints: { deployment_id: 'x' } }, 'bad_parameters_error'],
  ['constraints of another type', 'deployments', { constraints: [] }, 'bad_parameters_error'],
  [
    'a pattern of no kind',
    'blueprints',
    { constraints: { name_pattern: { like: 'x' } } },
    'bad_parameters_error',
  ],
  [
    'inherited names',
    'blueprints',
    { constraints: { name_pattern: { toString: 'x' } } },
    'bad_parameters_error',
  ],
  ['values of no list', 'blueprints', { constraints: { valid_values: 'x' } }, 'bad_parameters_error'],
  ['a rule of no type', 'deployments', { filter_rules: [{}] }, 'invalid_filter_rule'],
  ['labels of secrets', 'secrets', { filter_rules: [rule('label', 'a', 'is_null')] }, 'invalid_filter_rule'],
  ['nodes of nothing', 'nodes', {}, 'bad_parameters_error'],
  ['node types of nothing', 'node-types', { filter_rules: [] }, 'bad_parameters_error'],
  ['capabilities of nothing', 'capabilities', {}, 'bad_parameters_error'],
  ['scaling groups of nothing', 'scaling-groups', { constraints: {} }, 'bad_parameters_error'],
  ['a list', 'deployments', [], 'bad_parameters_error'],
])('a search is refused: %s', async (_what, kind, body, code) => {
  expect(await search(kind, body)).toMatchObject({ status: 400, body: { error_code: code } })
})

test('nodes, types, scaling groups and capabilities of a deployment or a blueprint', async () => {
  const inWeb = { constraints: { deployment_id: 'web' } }
  expect(field(await search('nodes', inWeb), 'id')).toEqual(['app', 'vm'])
  expect(field(await search('nodes', {}, {}, 'deployment_id=web&id=vm'), 'id')).toEqual(['vm'])
  const rules = { filter_rules: [attribute('type', 'ends_with', 'root')] }
  expect(field(await search('nodes', rules, {}, 'deployment_id=web'), 'id')).toEqual(['app'])
  expect((await search('nodes', {}, {}, 'blueprint_id=planned&_sort=id')).body.items).toMatchObject([
    { id: 'app', blueprint_id: 'planned', deployment_id: null },
    { id: 'vm', properties: { a: 1 }, type: 'cloudify.nodes.Compute' },
  ])
  const compute = { ...inWeb.constraints, name_pattern: { contains: 'Compute' } }
  expect((await search('node-types', { constraints: compute })).body.items).toEqual([
    {
      type: 'cloudify.nodes.Compute',
      deployment_id: 'web',
      blueprint_id: 'of_web',
      tenant_name: 'default_tenant',
    },
  ])
  const derived = { ...inWeb.constraints, valid_values: ['cloudify.nodes.Root'] }
  expect((await search('node-types', { constraints: derived })).body.items).toHaveLength(2)
  const exactly = { ...inWeb.constraints, valid_values: ['cloudify.nodes.Compute'] }
  expect(field(await search('node-types', { constraints: exactly }), 'type')).toEqual([
    'cloudify.nodes.Compute',
  ])
  expect(field(await search('node-types', {}, {}, 'blueprint_id=planned'), 'type')).toHaveLength(2)
  expect((await search('scaling-groups', inWeb)).body.items).toMatchObject([
    { name: 'group', deployment_id: 'web', members: ['vm'], properties: { min_instances: 1 } },
  ])
  expect(field(await search('scaling-groups', {}, {}, 'blueprint_id=planned'), 'name')).toEqual(['group'])
  expect((await search('capabilities', inWeb)).body.items).toMatchObject([
    {
      deployment_id: 'web',
      capabilities: { web_port: { value: 80 }, address: { value: { get_input: 'a' } } },
    },
  ])
  const ports = { ...inWeb.constraints, name_pattern: { ends_with: 'port' }, valid_values: ['80'] }
  const { name_pattern: capability_key_specs, ...rest } = ports
  expect((await search('capabilities', { constraints: { ...rest, capability_key_specs } })).body).toEqual(
    (await search('capabilities', { constraints: ports })).body,
  )
  expect((await search('deployments', { constraints: { capability_key_specs } })).status).toBe(400)
  expect((await search('capabilities', { constraints: ports })).body.items[0].capabilities).toEqual({
    web_port: { value: 80 },
  })
  expect((await search('capabilities', {}, {}, 'blueprint_id=planned')).body.items[0].capabilities).toEqual({
    port: { value: 80 },
  })
  expect(field(await search('nodes', {}, { user: 'bob' }, 'deployment_id=mine'), 'id')).toEqual([])
})

test('capabilities have the values that inputs of their type may name', async () => {
  await addDeployment(manager.db, 'valued', {
    inputs: { a: '10.0.0.1' },
    capabilities: {
      address: { value: { get_input: 'a' }, description: 'An address' },
      none: { value: { get_input: 'b' } },
    },
  })
  const asked = (constraints: object, query = '') =>
    search('capabilities', { constraints: { deployment_id: 'valued', ...constraints } }, {}, query)
  const address = { value: '10.0.0.1', description: 'An address' }
  expect((await asked({})).body.items).toEqual([
    {
      deployment_id: 'valued',
      blueprint_id: 'blueprint',
      tenant_name: 'default_tenant',
      capabilities: { address, none: { value: { get_input: 'b' } } },
    },
  ])
  expect((await asked({ valid_values: ['10.0.0.1'] }, '_include=capabilities')).body.items).toEqual([
    { capabilities: { address } },
  ])
  const plain = await search(
    'capabilities',
    { filter_rules: [] },
    {},
    'deployment_id=valued&_include=deployment_id',
  )
  expect(plain.body.items).toEqual([{ deployment_id: 'valued' }])
})

test('node instances and secrets', async () => {
  const states = {
    filter_rules: [attribute('state', 'any_of', 'started'), attribute('id', 'starts_with', 'd')],
  }
  expect(field(await search('node-instances', states), 'id')).toEqual(['db_vm'])
  expect(field(await search('node-instances', { constraints: { deployment_id: 'web' } }), 'id')).toEqual([
    'web_vm',
  ])
  for (const key of ['db_password', 'web_password', 'token']) {
    await manager.inject('PUT', `/secrets/${key}`, { body: { value: 'very-secret' } })
  }
  const passwords = await search('secrets', { filter_rules: [attribute('key', 'ends_with', 'password')] })
  expect(field(passwords, 'key')).toEqual(['db_password', 'web_password'])
  expect(passwords.text).not.toContain('very-secret')
  expect(
    field(await search('secrets', { constraints: { name_pattern: { starts_with: 'to' } } }), 'key'),
  ).toEqual(['token'])
  expect(
    field(await search('secrets', { filter_rules: [attribute('provider_name', 'is_not_empty')] }), 'key'),
  ).toEqual([])
})

test('lists of deployments hold workflows for those who ask', async () => {
  const all = { filter_rules: [] }
  const workflowsOf = (items: readonly { id: string; workflows: { name: string }[] }[]) =>
    items.find(({ id }) => id === 'web')?.workflows.map(({ name }) => name)
  for (const [query, names] of [
    ['', []],
    ['_get_data=false', []],
    ['_get_data=True', ['install', 'heal']],
    ['_get_data=true&all_sub_deployments=false', ['install', 'heal']],
    ['_include=id,workflows', ['install', 'heal']],
    ['id=web', []],
    ['all_sub_deployments=false', []],
  ] as const) {
    const listed = await manager.inject('GET', `/deployments?${query}`)
    expect([query, workflowsOf(listed.body.items)]).toEqual([query, names])
    if (query.includes('sub_deployments')) continue
    const found = await manager.inject('POST', `/searches/deployments?${query}`, { body: all })
    expect([query, workflowsOf(found.body.items)]).toEqual([query, names])
  }
  expect(workflowsOf([(await manager.inject('GET', '/deployments/web')).body])).toEqual(['install', 'heal'])
})

test('workflows: all that the deployments have, or those that all of them have', async () => {
  const names = async (query: string) => field(await manager.inject('GET', `/workflows?${query}`), 'name')
  expect(await names('')).toEqual(['heal', 'install'])
  expect(await names('id=db')).toEqual(['install'])
  expect(await names('id=db&id=web&_common_only=true')).toEqual(['install'])
  expect(await names('_search=HE')).toEqual(['heal'])
  expect(await names('id=nope')).toEqual([])
  expect((await manager.inject('GET', '/workflows?nonsense=1')).status).toBe(400)
  const short = await manager.inject('GET', '/workflows?id=web&_include=name,plugin')
  expect(short.body.items).toEqual([
    { name: 'heal', plugin: 'p' },
    { name: 'install', plugin: 'p' },
  ])
  expect((await manager.inject('GET', '/workflows?_include=blueprint_id')).body.error_code).toBe(
    'no_such_include_field_error',
  )
  const found = await search('workflows', { filter_rules: [attribute('id', 'any_of', 'web')] })
  expect(found.body).toMatchObject({
    items: [
      { name: 'heal', plugin: 'p', operation: 'heal', parameters: {}, is_cascading: false },
      { name: 'install' },
    ],
    metadata: { pagination: { total: 2, offset: 0, size: 1000 } },
  })
})
