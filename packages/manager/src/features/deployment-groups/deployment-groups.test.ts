import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintText } from '../../../test/archives.ts'
import { addBlueprint, addDeployment, addExecution, addTenant, addUser } from '../../../test/fixtures.ts'
import type { TestRequest } from '../../../test/test-manager.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

let system: TestSystem

const node = { node_templates: { one: { type: 'cloudify.nodes.Root' } } }

beforeAll(async () => {
  system = await startTestSystem()
  await addUser(system.db, 'alice', { tenants: { 0: 'user' } })
  await addUser(system.db, 'bob', { tenants: { 0: 'user' } })
  await addUser(system.db, 'viewer1', { tenants: { 0: 'viewer' } })
  await system.upload('plain', blueprintArchive())
  await system.upload(
    'named',
    blueprintArchive(
      blueprintText({
        ...node,
        inputs: { size: { type: 'integer' }, colour: { default: 'red' } },
        deployment_settings: { id_template: '{blueprint_id}-{count}' },
      }),
    ),
  )
  for (const id of ['a', 'b', 'c']) await addDeployment(system.db, id)
  await addDeployment(system.db, 'secret', { visibility: 'private', createdBy: 'alice' })
})
afterAll(() => system.close())

const put = (id: string, body: object, request: TestRequest = {}) =>
  system.inject('PUT', `/deployment-groups/${id}`, { ...request, body })
const patch = (id: string, body: object, request: TestRequest = {}) =>
  system.inject('PATCH', `/deployment-groups/${id}`, { ...request, body })
const get = async (id: string, request: TestRequest = {}) =>
  (await system.inject('GET', `/deployment-groups/${id}`, request)).body
const labelsOf = async (id: string) =>
  (await system.inject('GET', `/deployments/${id}`)).body.labels.map(
    ({ key, value }: { key: string; value: string }) => `${key}=${value}`,
  )
/** The executions of the newest execution group of the deployment group, once all have ended. */
async function created(groupId: string) {
  const { body } = await system.inject(
    'GET',
    `/execution-groups?deployment_group_id=${groupId}&_sort=-created_at&_include=id,execution_ids,workflow_id,concurrency`,
  )
  const [group] = body.items
  return { ...group, executions: await Promise.all(group.execution_ids.map(system.ended)) }
}

test('a group is made, shown, changed and listed', async () => {
  expect(await put('g1', { description: null, deployment_ids: ['a'], visibility: null })).toMatchObject({
    status: 200,
    body: {
      id: 'g1',
      description: null,
      default_blueprint_id: null,
      default_inputs: {},
      deployment_ids: ['a'],
      labels: [],
      creation_counter: 0,
      visibility: 'tenant',
      created_by: 'admin',
      tenant_name: 'default_tenant',
      private_resource: false,
    },
  })
  await put('g1', { description: 'first', blueprint_id: 'plain', default_inputs: { x: 1 } })
  expect(await put('g1', { deployment_ids: ['b', 'c'] })).toMatchObject({
    body: {
      description: 'first',
      default_blueprint_id: 'plain',
      default_inputs: { x: 1 },
      deployment_ids: ['b', 'c'],
    },
  })
  await put('g2', { deployments_from_group: 'g1', deployment_ids: ['a', 'a'] })
  expect((await get('g2')).deployment_ids).toEqual(['a', 'b', 'c'])
  const { body } = await system.inject('GET', '/deployment-groups?_sort=-id&_include=id&id=g1&id=g2')
  expect(body.items).toEqual([{ id: 'g2' }, { id: 'g1' }])
  expect((await system.inject('GET', '/deployments/b?_include=deployment_groups')).body).toEqual({
    deployment_groups: ['g1', 'g2'],
  })
  const ids = async (query: string) =>
    (await system.inject('GET', `/deployments?_include=id&${query}`)).body.items.map(
      ({ id }: { id: string }) => id,
    )
  expect(await ids('_group_id=g1')).toEqual(['b', 'c'])
  expect(await ids('_group_id=nope&_group_id=g1')).toEqual(['b', 'c'])
  expect(await ids('deployment_group_id=g1&id=b')).toEqual(['b'])
  expect(await ids('deployment_group_id=g1&deployment_group_id=g2')).toEqual(['a', 'b', 'c'])
  expect(await ids('deployment_group_id=none')).toEqual([])
})

test('members come and go', async () => {
  await put('moving', { deployment_ids: ['a'] })
  expect((await patch('moving', { add: { deployment_ids: ['a', 'b'] } })).body.deployment_ids).toEqual([
    'a',
    'b',
  ])
  await put('others', { deployment_ids: ['b', 'c'] })
  expect(
    (await patch('moving', { add: { deployment_ids: ['c'] }, remove: { deployments_from_group: 'others' } }))
      .body.deployment_ids,
  ).toEqual(['a'])
  expect(await patch('moving', {})).toMatchObject({
    status: 400,
    body: { error_code: 'illegal_action_error' },
  })
  expect(await patch('nowhere', { add: {} })).toMatchObject({
    status: 404,
    body: { message: 'Requested `DeploymentGroup` with ID `nowhere` was not found' },
  })
})

test('what is refused leaves nothing behind', async () => {
  expect(await put('bad', { deployment_ids: ['a', 'nope'] })).toMatchObject({
    status: 404,
    body: { message: 'Requested `Deployment` with ID `nope` was not found' },
  })
  expect((await put('bad', { blueprint_id: 'nope' })).status).toBe(404)
  expect((await put('bad', { deployments_from_group: 'nope' })).status).toBe(404)
  expect((await put('bad', { labels: 'x' })).status).toBe(400)
  expect((await put('bad', { deployment_ids: 'a' })).body.message).toBe(
    'deployment_ids parameter is expected to be of type list but is of type str',
  )
  expect((await put('bad', { new_deployments: [{}, 7] })).status).toBe(400)
  expect((await put('bad', { visibility: 'all' })).status).toBe(400)
  expect((await put('b%20d', {})).status).toBe(400)
  expect(await put('bad', { new_deployments: [{}] })).toMatchObject({
    status: 409,
    body: { error_code: 'conflict_error', message: expect.stringContaining('no default blueprint') },
  })
  expect((await system.inject('GET', '/deployment-groups/bad')).status).toBe(404)
})

test('labels of a group go to its members, then and later', async () => {
  await put('labelled', { labels: [{ Env: 'prod' }], deployment_ids: ['a'] })
  expect(await labelsOf('a')).toEqual(['env=prod'])
  await patch('labelled', { add: { deployment_ids: ['b'] } })
  expect(await labelsOf('b')).toEqual(['env=prod'])
  await put('labelled', { labels: [{ env: 'test' }] })
  expect((await get('labelled')).labels).toMatchObject([{ key: 'env', value: 'test' }])
  expect(await labelsOf('a')).toEqual(['env=test'])
  expect((await system.inject('GET', '/labels/deployment_groups')).body.items).toEqual(['env'])
  expect((await system.inject('GET', '/labels/deployment_groups/env')).body.items).toEqual(['test'])
})

test('members are chosen by stored filters and by rules', async () => {
  for (const id of ['f1', 'f2', 'f3']) await addDeployment(system.db, id)
  await put('source', { deployment_ids: ['f1', 'f2'], labels: [{ kind: 'web' }] })
  const rule = (key: string, ...values: string[]) => ({ type: 'label', operator: 'any_of', key, values })
  await system.inject('PUT', '/filters/deployments/webs', { body: { filter_rules: [rule('kind', 'web')] } })
  expect((await put('filtered', { filter_id: 'webs' })).body.deployment_ids).toEqual(['f1', 'f2'])
  const byId = { type: 'attribute', operator: 'any_of', key: 'id', values: ['f2', 'f3'] }
  expect((await put('filtered', { filter_rules: [byId] })).body.deployment_ids).toEqual(['f2', 'f3'])
  expect(
    (await patch('filtered', { remove: { filter_id: 'webs', filter_rules: [byId] } })).body.deployment_ids,
  ).toEqual(['f3'])
  expect((await put('filtered', { filter_id: 'nope' })).status).toBe(404)
  expect((await put('filtered', { filter_rules: [{}] })).body.error_code).toBe('invalid_filter_rule')
})

test('no rules are no deployments, however they are sent', async () => {
  for (const id of ['n1', 'n2']) await addDeployment(system.db, id)
  await system.inject('PUT', '/filters/deployments/nothing', { body: { filter_rules: [] } })
  const byId = { type: 'attribute', operator: 'any_of', key: 'id', values: ['n2'] }
  const nothing = { deployments_from_group: null, filter_id: null, filter_rules: [] }
  expect((await put('ruled', { filter_rules: [] })).body.deployment_ids).toEqual([])
  expect((await put('ruled', { ...nothing, deployment_ids: ['n1'] })).body.deployment_ids).toEqual(['n1'])
  expect((await put('ruled', nothing)).body.deployment_ids).toEqual(['n1'])
  const members = async (body: object) => (await patch('ruled', body)).body.deployment_ids
  expect(await members({ add: nothing })).toEqual(['n1'])
  expect(await members({ add: { ...nothing, deployment_ids: ['n2'] } })).toEqual(['n1', 'n2'])
  expect(await members({ add: { filter_id: 'nothing', filter_rules: [] } })).toEqual(['n1', 'n2'])
  expect(await members({ remove: nothing })).toEqual(['n1', 'n2'])
  expect(await members({ remove: { filter_id: 'nothing' } })).toEqual(['n1', 'n2'])
  expect(await members({ remove: { ...nothing, deployment_ids: ['n1'] } })).toEqual(['n2'])
  // A filter without rules and rules of the request: the rules count.
  expect(await members({ remove: { filter_id: 'nothing', filter_rules: [byId] } })).toEqual([])
  // A search is another thing: without rules it finds all.
  const found = await system.inject('POST', '/searches/deployments?_filter_id=nothing', {
    body: { filter_rules: [] },
  })
  expect(found.body.metadata.pagination.total).toBeGreaterThan(2)
})

test('a group whose members are in an environment puts them there', async () => {
  for (const id of ['env1', 'inside']) await addDeployment(system.db, id)
  expect(
    (await put('in-env', { labels: [{ 'csys-obj-parent': 'env1' }], deployment_ids: ['inside'] })).status,
  ).toBe(200)
  expect((await system.inject('GET', '/deployments/env1')).body.sub_services_count).toBe(1)
  expect(await labelsOf('env1')).toEqual(['csys-consumer-id=inside'])
  expect(
    await put('in-none', { labels: [{ 'csys-obj-parent': 'gone' }], deployment_ids: ['inside'] }),
  ).toMatchObject({
    status: 404,
    body: { error_code: 'deployment_parent_not_found_error' },
  })
})

test('what a group loses its members lose, with the links and counts of environments', async () => {
  for (const id of ['env2', 'env3', 'm1', 'm2', 'm3']) await addDeployment(system.db, id)
  const services = async (id: string) =>
    (await system.inject('GET', `/deployments/${id}`)).body.sub_services_count
  const inside = (...parents: string[]) => ({ 'csys-obj-parent': parents })
  await put('losing', { labels: [inside('env2'), { tier: ['a', 'b'] }], deployment_ids: ['m1', 'm2'] })
  await put('keeping', { labels: [inside('env2'), { tier: 'b' }], deployment_ids: ['m2'] })
  await system.inject('PATCH', '/deployments/m1', {
    body: { labels: [inside('env2'), { tier: ['a', 'b'] }, { own: 'x' }] },
  })
  expect(await services('env2')).toBe(2)

  await put('losing', { labels: [inside('env3'), { tier: 'a' }] })
  expect(await labelsOf('m1')).toEqual(['tier=a', 'own=x', 'csys-obj-parent=env3'])
  expect((await labelsOf('m2')).sort()).toEqual([
    'csys-obj-parent=env2',
    'csys-obj-parent=env3',
    'tier=a',
    'tier=b',
  ])
  expect([await services('env2'), await services('env3')]).toEqual([1, 2])
  expect(await labelsOf('env2')).toEqual(['csys-consumer-id=m2'])
  expect((await labelsOf('env3')).sort()).toEqual(['csys-consumer-id=m1', 'csys-consumer-id=m2'])

  // Members that are replaced at the same time lose it as well; those that just go keep what they have.
  await put('losing', { labels: [], deployment_ids: ['m3'] })
  expect(await labelsOf('m1')).toEqual(['own=x'])
  expect((await labelsOf('m2')).sort()).toEqual(['csys-obj-parent=env2', 'tier=b'])
  expect([await services('env2'), await services('env3')]).toEqual([1, 0])
  await patch('keeping', { remove: { deployment_ids: ['m2'] } })
  expect((await labelsOf('m2')).sort()).toEqual(['csys-obj-parent=env2', 'tier=b'])
  expect(await labelsOf('m3')).toEqual([])
})

test('a member that somebody does not see keeps its labels', async () => {
  await addDeployment(system.db, 'private1', { visibility: 'private', createdBy: 'alice' })
  await put('mixed', { labels: [{ k: 'v' }], deployment_ids: ['private1', 'a'] }, { user: 'alice' })
  expect((await put('mixed', { labels: [] }, { user: 'bob' })).status).toBe(200)
  expect(await labelsOf('private1')).toEqual(['k=v'])
  expect(await labelsOf('a')).not.toContain('k=v')
})

test('new deployments are made as one execution group, ten at a time', async () => {
  const { status, body } = await put('many', {
    blueprint_id: 'plain',
    labels: [{ team: 'x' }],
    new_deployments: Array.from({ length: 12 }, () => ({})),
  })
  expect(status).toBe(200)
  expect(body.deployment_ids).toHaveLength(12)
  expect(body.deployment_ids[0]).toMatch(/^many-[0-9a-f-]{36}$/)
  expect(body.creation_counter).toBe(12)
  const group = await created('many')
  expect(group).toMatchObject({ workflow_id: 'create_deployment_environment', concurrency: 10 })
  expect(group.executions.map(({ status }: { status: string }) => status)).toEqual(
    Array.from({ length: 12 }, () => 'terminated'),
  )
  expect((await system.inject('GET', `/execution-groups/${group.id}`)).body).toMatchObject({
    status: 'terminated',
    deployment_group_id: 'many',
  })
  expect(await labelsOf(body.deployment_ids[11])).toEqual(['team=x'])
  const { items } = (await system.inject('GET', `/nodes?deployment_id=${body.deployment_ids[11]}`)).body
  expect(items).toHaveLength(1)
})

test('ids come out of templates: of the item, of the blueprint, with inputs and names of their own', async () => {
  await put('tmpl', { blueprint_id: 'named', default_inputs: { size: 1 } })
  await addDeployment(system.db, 'named-2', { blueprintId: 'named' })
  const { body } = await patch('tmpl', {
    add: {
      new_deployments: [
        {},
        {
          inputs: { size: 2, colour: 'blue' },
          display_name: 'Second of {group_id}, {count}',
          labels: [{ own: 'yes' }],
        },
        { id: 'fixed', display_name: '{blueprint_id} at {site_name}.' },
        { id: 'x-{group_id}-{count}' },
      ],
    },
  })
  // The second of the blueprint's was taken: it comes after all others.
  expect(body.deployment_ids).toEqual(['fixed', 'named-1', 'named-5', 'x-tmpl-4'])
  const { executions } = await created('tmpl')
  expect(executions.map((one: { error: string }) => one.error)).toEqual(['', '', '', ''])
  expect((await system.inject('GET', '/deployments/named-5')).body).toMatchObject({
    // The number that its id has, too.
    display_name: 'Second of tmpl, 5',
    inputs: { size: 2, colour: 'blue' },
    labels: [{ key: 'own', value: 'yes' }],
  })
  expect((await system.inject('GET', '/deployments/fixed')).body.display_name).toBe('named at .')
  expect((await system.inject('GET', '/deployments/named-1')).body.inputs).toEqual({ size: 1, colour: 'red' })

  const add = (...new_deployments: object[]) => patch('tmpl', { add: { new_deployments } })
  expect(await add({ id: 'fixed' })).toMatchObject({ status: 409, body: { error_code: 'conflict_error' } })
  expect(await add({ id: 'twin' }, { id: 'twin' })).toMatchObject({ status: 409 })
  expect(await add({ id: '{nope}' })).toMatchObject({ status: 400 })
  expect(await add({ display_name: '{nope}' })).toMatchObject({ status: 400 })
  expect(await add({ id: 'sp ace-{uuid}' })).toMatchObject({ status: 400 })
  expect(await add({}, { inputs: { wrong: 1 } })).toMatchObject({
    status: 400,
    body: { error_code: 'unknown_deployment_input_error' },
  })
  expect(await add({ site_name: 'nowhere' })).toMatchObject({ status: 404 })
  expect(await get('tmpl')).toMatchObject({ creation_counter: 5, deployment_ids: body.deployment_ids })
  expect((await system.inject('GET', '/execution-groups?deployment_group_id=tmpl')).body.items).toHaveLength(
    1,
  )
})

test('a blueprint puts its deployments into groups', async () => {
  await put('existing', { labels: [{ from: 'group' }] })
  await put('closed', { visibility: 'private' }, { user: 'alice' })
  await system.upload(
    'joining',
    blueprintArchive(
      blueprintText({ ...node, deployment_settings: { default_groups: ['existing', 'made', 'closed'] } }),
    ),
  )
  await system.deploy('joiner', 'joining')
  expect((await system.inject('GET', '/deployments/joiner')).body.deployment_groups).toEqual([
    'existing',
    'made',
  ])
  expect(await labelsOf('joiner')).toEqual(['from=group'])
  expect(await get('made')).toMatchObject({ deployment_ids: ['joiner'], visibility: 'tenant' })
  const { items } = (await system.inject('GET', '/events?deployment_id=joiner&level=warning')).body
  expect(items).toMatchObject([{ message: expect.stringContaining('did not join the group closed') }])
})

test('a group goes alone, or with its deployments', async () => {
  const remove = (id: string, query = '') => system.inject('DELETE', `/deployment-groups/${id}?${query}`)
  await put('alone', { deployment_ids: ['a'] })
  expect(await remove('alone')).toMatchObject({ status: 204 })
  expect((await system.inject('GET', '/deployments/a')).status).toBe(200)
  expect((await remove('alone')).status).toBe(404)

  const { body } = await put('doomed', { blueprint_id: 'plain', new_deployments: [{}, {}] })
  await created('doomed')
  const [first, second] = body.deployment_ids
  const running = await addExecution(system.db, { deploymentId: first, status: 'queued' })
  expect(await remove('doomed', 'delete_deployments=true&force=true')).toMatchObject({
    status: 400,
    body: { error_code: 'dependent_exists_error', message: expect.stringContaining(running.id) },
  })
  expect((await get('doomed')).deployment_ids).toHaveLength(2)
  await system.db.deleteFrom('executions').where('id', '=', running.id).execute()

  const answer = await remove('doomed', 'delete_deployments=True&delete_logs=true')
  expect(answer).toMatchObject({ status: 200, body: { execution_group_id: expect.any(String) } })
  await system.deleted(first)
  await system.deleted(second)
  expect((await system.inject('GET', '/deployment-groups/doomed')).status).toBe(404)
  expect(
    (await system.inject('GET', `/execution-groups/${answer.body.execution_group_id}`)).body,
  ).toMatchObject({ workflow_id: 'delete_deployment_environment', status: null, execution_ids: [] })
})

test('nobody sees or takes what is not theirs', async () => {
  const alice = { user: 'alice' }
  const bob = { user: 'bob' }
  expect((await put('of-alice', { visibility: 'private', deployment_ids: ['secret'] }, alice)).status).toBe(
    200,
  )
  expect((await system.inject('GET', '/deployment-groups/of-alice', bob)).status).toBe(404)
  expect((await put('of-alice', {}, bob)).status).toBe(409)
  expect((await patch('of-alice', { add: { deployment_ids: ['a'] } }, bob)).status).toBe(404)
  expect((await system.inject('DELETE', '/deployment-groups/of-alice', bob)).status).toBe(404)
  expect((await put('of-bob', { deployment_ids: ['secret'] }, bob)).status).toBe(404)
  await put('shared', { deployment_ids: ['secret', 'a'] }, alice)
  expect((await get('shared', bob)).deployment_ids).toEqual(['a'])
  expect((await get('shared', alice)).deployment_ids).toEqual(['a', 'secret'])
  expect((await put('copy', { deployments_from_group: 'shared' }, bob)).body.deployment_ids).toEqual(['a'])

  expect((await put('viewing', {}, { user: 'viewer1' })).status).toBe(403)
  expect((await put('wide', { visibility: 'global' }, alice)).status).toBe(403)

  const other = await addTenant(system.db, 'other')
  await addBlueprint(system.db, 'theirs', { tenantId: other })
  await addDeployment(system.db, 'foreign', { tenantId: other, blueprintId: 'theirs' })
  await addDeployment(system.db, 'everywhere', {
    tenantId: other,
    blueprintId: 'theirs',
    visibility: 'global',
  })
  expect((await put('reach', { deployment_ids: ['foreign'] })).status).toBe(404)
  expect(await put('reach', { deployment_ids: ['everywhere'] })).toMatchObject({
    status: 400,
    body: { error_code: 'illegal_action_error' },
  })
  expect((await put('wide', { visibility: 'global' }, { tenant: 'other' })).status).toBe(200)
  expect((await put('wide', {})).status).toBe(400)
  expect((await system.inject('GET', '/deployment-groups/wide')).body.tenant_name).toBe('other')
})

test('an execution that is being cancelled creates and changes no group', async () => {
  const { token: executionToken } = await addExecution(system.db, { deploymentId: 'a', status: 'cancelling' })
  for (const answer of [
    await put('late', {}, { executionToken }),
    await patch('g1', { add: {} }, { executionToken }),
    await system.inject('POST', '/execution-groups', {
      executionToken,
      body: { deployment_group_id: 'g1', workflow_id: 'install' },
    }),
  ]) {
    expect(answer).toMatchObject({ status: 403, body: { error_code: 'forbidden_while_cancelling' } })
  }
})

test('two requests that make the same group leave one', async () => {
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      put('raced', {
        blueprint_id: 'plain',
        new_deployments: [{ id: `raced-{count}` }],
        description: `${index}`,
      }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200))
  expect((await get('raced')).deployment_ids).toHaveLength(6)
})
