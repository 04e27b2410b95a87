import { whatDisagrees } from '@tutti/domain/deployment-modifications'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintText } from '../../../test/archives.ts'
import { addTenant, addUser } from '../../../test/fixtures.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

let system: TestSystem

const to = (target: string, type = 'connected_to', properties = {}) => ({
  target,
  type: `cloudify.relationships.${type}`,
  properties,
})
const node = (type: string, relationships: readonly object[] = [], more = {}) => ({
  type: `cloudify.nodes.${type}`,
  relationships,
  ...more,
})

beforeAll(async () => {
  system = await startTestSystem()
  const away = await addTenant(system.db, 'away')
  await addUser(system.db, 'vera', { tenants: { 0: 'viewer' } })
  await addUser(system.db, 'stranger', { tenants: { [away]: 'manager' } })
  const text = blueprintText({
    node_templates: {
      db: node('Root'),
      h: node('Root'),
      a: node('Root', [to('h', 'contained_in'), to('db')]),
      x: node('Root', [to('a'), to('db')]),
      one: node('Root', [to('h', 'connected_to', { connection_type: 'all_to_one' })]),
      m: node('Root'),
      n: node('Root', [to('m')]),
    },
    groups: { g: { members: ['m', 'n'] } },
    policies: {
      p: { type: 'cloudify.policies.scaling', targets: ['g'], properties: { default_instances: 2 } },
    },
  })
  await system.upload('scaled', blueprintArchive(text))
})
afterAll(() => system.close())

const instancesOf = async (deployment: string) =>
  (await system.inject('GET', `/node-instances?deployment_id=${deployment}&_size=1000`)).body.items
const ofNode = async (deployment: string, name: string) =>
  (await instancesOf(deployment)).filter((one: { node_id: string }) => one.node_id === name)
const start = (deployment: string, nodes: object, more: object = {}) =>
  system.inject('POST', '/deployment-modifications', {
    body: { deployment_id: deployment, nodes, ...more },
  })
const end = (id: string, how: 'finish' | 'rollback') =>
  system.inject('POST', `/deployment-modifications/${id}/${how}`, { body: {} })
const disagreements = (deployment: string) => whatDisagrees(system.db, 0, deployment)
const ids = (list: readonly { id: string; modification: unknown }[], modification: string | null) =>
  list.filter((one) => one.modification === modification).map(({ id }) => id)

test('adds instances at once with the edges to them, and counts them once it is finished', async () => {
  await system.deploy('out', 'scaled')
  const before = await instancesOf('out')
  const [x] = before.filter((one: { node_id: string }) => one.node_id === 'x')
  const [database] = before.filter((one: { node_id: string }) => one.node_id === 'db')
  const { status, body } = await start('out', { h: { instances: 2 } }, { context: { why: 'load' } })
  expect(status).toBe(201)
  expect(body).toMatchObject({
    id: expect.any(String),
    deployment_id: 'out',
    status: 'started',
    modified_nodes: { h: { instances: 2 } },
    context: { why: 'load' },
    ended_at: null,
    created_by: 'admin',
    tenant_name: 'default_tenant',
  })
  const lists = body.node_instances
  expect(lists.before_modification).toHaveLength(before.length)
  expect(lists).not.toHaveProperty('before_rollback')
  const added = ids(lists.added_and_related, 'added')
  expect(added.map((id) => id.slice(0, -7))).toEqual(['h', 'a'])
  expect(ids(lists.added_and_related, null).toSorted()).toEqual([database.id, x.id].toSorted())
  expect(ids(lists.extended_and_related, 'extended')).toEqual([x.id])
  expect([lists.removed_and_related, lists.reduced_and_related]).toEqual([[], []])
  const [newX] = await ofNode('out', 'x')
  expect(newX.relationships.map((edge: { target_name: string }) => edge.target_name)).toEqual([
    'a',
    'a',
    'db',
  ])
  expect(newX.version).toBe(x.version + 1)
  expect(await ofNode('out', 'a')).toMatchObject([
    { index: 1, state: 'uninitialized' },
    { index: 2, state: 'uninitialized' },
  ])
  const counts = async () => (await system.inject('GET', '/nodes?deployment_id=out&id=h')).body.items[0]
  expect(await counts()).toMatchObject({ number_of_instances: 1, planned_number_of_instances: 2 })

  const second = await start('out', { db: { instances: 2 } })
  expect(second).toMatchObject({
    status: 400,
    body: { error_code: 'existing_started_deployment_modification_error' },
  })
  expect(second.body.message).toContain(body.id)

  const finished = await end(body.id, 'finish')
  expect(finished).toMatchObject({ status: 200, body: { status: 'finished', ended_at: expect.any(String) } })
  expect(await counts()).toMatchObject({ number_of_instances: 2, planned_number_of_instances: 2 })
  expect(await disagreements('out')).toEqual([])
  for (const how of ['finish', 'rollback'] as const) {
    expect(await end(body.id, how)).toMatchObject({
      status: 400,
      body: { error_code: 'deployment_modification_already_ended_error' },
    })
  }
})

test('removes only when it is finished, hinted ones first, never the target of all_to_one', async () => {
  await system.deploy('in', 'scaled')
  await end((await start('in', { h: { instances: 4 } })).body.id, 'finish')
  const hosts = (await ofNode('in', 'h')).map(({ id }: { id: string }) => id)
  const [{ relationships }] = await ofNode('in', 'one')
  const used = relationships[0].target_id
  const [spared, hinted] = hosts.filter((id: string) => id !== used)
  const { body } = await start('in', {
    h: { instances: 2, removed_ids_include_hint: [hinted, used], removed_ids_exclude_hint: [spared] },
  })
  const gone = ids(body.node_instances.removed_and_related, 'removed')
  expect(gone.filter((id) => id.startsWith('h_'))).toHaveLength(2)
  expect(gone).toContain(hinted)
  expect(gone).not.toContain(used)
  expect(gone).not.toContain(spared)
  expect(await ofNode('in', 'h')).toHaveLength(4)
  await end(body.id, 'finish')
  const left = (await ofNode('in', 'h')).map(({ id }: { id: string }) => id)
  expect(left.toSorted()).toEqual([used, spared].toSorted())
  expect(await disagreements('in')).toEqual([])
})

test('is rolled back to what was there before', async () => {
  await system.deploy('back', 'scaled')
  const before = await instancesOf('back')
  const { body } = await start('back', { h: { instances: 3 }, g: { instances: 1 } })
  const [x] = await ofNode('back', 'x')
  await system.inject('PATCH', `/node-instances/${x.id}`, {
    body: { version: x.version, state: 'started', runtime_properties: { seen: 1 } },
  })
  const { body: rolledBack } = await end(body.id, 'rollback')
  expect(rolledBack).toMatchObject({ status: 'rolledback', ended_at: expect.any(String) })
  const [changed] = rolledBack.node_instances.before_rollback.filter((one: { id: string }) => one.id === x.id)
  expect(changed).toMatchObject({ state: 'started', runtime_properties: { seen: 1 } })
  const version = ({ version: _, ...rest }: Record<string, unknown>) => rest
  expect((await instancesOf('back')).map(version)).toEqual(before.map(version))
  expect((await ofNode('back', 'x'))[0].version).toBeGreaterThan(x.version)
  expect(await disagreements('back')).toEqual([])
})

test('scales a group as one: members together, wired within', async () => {
  await system.deploy('group', 'scaled')
  const { body } = await start('group', { g: { instances: 3 } })
  const added = body.node_instances.added_and_related.filter(
    (one: { modification: unknown }) => one.modification === 'added',
  )
  expect(added.map((one: { node_id: string }) => one.node_id).toSorted()).toEqual(['m', 'n'])
  expect(
    new Set(added.map((one: { scaling_groups: [{ id: string }] }) => one.scaling_groups[0].id)).size,
  ).toBe(1)
  const groups = async () =>
    (await system.inject('GET', '/deployments/group')).body.scaling_groups.g.properties
  expect(await groups()).toMatchObject({ current_instances: 2, planned_instances: 3 })
  await end(body.id, 'finish')
  expect(await groups()).toMatchObject({ current_instances: 3, planned_instances: 3 })
  const [member] = await ofNode('group', 'm')
  const less = await start('group', { g: { instances: 2, removed_ids_include_hint: [member.id] } })
  expect(ids(less.body.node_instances.removed_and_related, 'removed')).toContain(member.id)
  await end(less.body.id, 'finish')
  expect((await instancesOf('group')).filter(({ id }: { id: string }) => id === member.id)).toEqual([])
  expect(await disagreements('group')).toEqual([])
})

test.each([
  [{ nobody: { instances: 1 } }, 404, 'not_found_error'],
  [{ h: { instances: -1 } }, 400, 'bad_parameters_error'],
  [{ h: { instances: 'two' } }, 400, 'bad_parameters_error'],
  [{ h: {} }, 400, 'bad_parameters_error'],
  [{ h: { instances: 300_000 } }, 400, 'bad_parameters_error'],
  [{ h: { instances: 1000 }, g: { instances: 100_000 } }, 400, 'bad_parameters_error'],
  [{ constructor: { instances: 1 } }, 404, 'not_found_error'],
])('refuses %j', async (nodes, status, code) => {
  await system.inject('PUT', '/deployments/refused', { body: { blueprint_id: 'scaled' } })
  const before = await instancesOf('refused')
  const answer = await start('refused', nodes)
  expect(answer).toMatchObject({ status, body: { error_code: code } })
  expect(await instancesOf('refused')).toEqual(before)
})

test('two at once: one starts, the other is told so', async () => {
  await system.deploy('race', 'scaled')
  const answers = await Promise.all([1, 2, 3].map(() => start('race', { h: { instances: 2 } })))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400])
  const ended = answers.find(({ status }) => status === 201)?.body.id
  const ends = await Promise.all([end(ended, 'finish'), end(ended, 'rollback')])
  expect(ends.map(({ status }) => status).toSorted()).toEqual([200, 400])
  expect(await disagreements('race')).toEqual([])
})

test('is listed by deployment, in the three versions, by those who see the deployment', async () => {
  await system.deploy('seen', 'scaled', { visibility: 'private' })
  const { body } = await start('seen', { h: { instances: 2 } })
  const list = async (version: string, request: object = {}) =>
    system.inject('GET', `/api/${version}/deployment-modifications?deployment_id=seen`, request)
  for (const version of ['v2', 'v3', 'v3.1']) {
    expect((await list(version)).body.items.map(({ id }: { id: string }) => id)).toEqual([body.id])
  }
  expect((await list('v3.1', { user: 'vera' })).body.items).toEqual([])
  for (const user of ['vera', 'stranger']) {
    const tenant = user === 'vera' ? 'default_tenant' : 'away'
    const path = `/deployment-modifications/${body.id}`
    expect((await system.inject('GET', path, { user, tenant })).status).toBe(404)
  }
  const ending = (user: string, tenant: string) =>
    system.inject('POST', `/deployment-modifications/${body.id}/rollback`, { user, tenant, body: {} })
  expect((await ending('vera', 'default_tenant')).status).toBe(403)
  expect((await ending('stranger', 'away')).status).toBe(404)
  const included = await system.inject('GET', `/deployment-modifications/${body.id}?_include=id,status`)
  expect(included.body).toEqual({ id: body.id, status: 'started' })
  expect((await start('seen-no', {})).status).toBe(404)
})

test('goes with its deployment', async () => {
  await system.deploy('going', 'scaled')
  const { body } = await start('going', { h: { instances: 2 } })
  expect((await system.inject('DELETE', '/deployments/going')).status).toBe(204)
  await system.deleted('going')
  expect((await system.inject('GET', `/deployment-modifications/${body.id}`)).status).toBe(404)
})
