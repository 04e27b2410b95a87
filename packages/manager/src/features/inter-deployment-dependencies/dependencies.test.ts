import { deleteDeployment } from '@tutti/domain/dependencies'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addBlueprint, addDeployment, addExecution, addTenant, addUser } from '../../../test/fixtures.ts'
import { startTestManager, type TestManager, type TestRequest } from '../../../test/test-manager.ts'

let manager: TestManager
let next = 0
const path = '/deployments/inter-deployment-dependencies'

beforeAll(async () => {
  manager = await startTestManager()
  await addUser(manager.db, 'alice', { tenants: { 0: 'user' } })
  await addUser(manager.db, 'bob', { tenants: { 0: 'user' } })
  await addUser(manager.db, 'viewer1', { tenants: { 0: 'viewer' } })
})
afterAll(() => manager.close())

async function deployment(options: Parameters<typeof addDeployment>[2] = {}): Promise<string> {
  const id = `d${next++}`
  await addDeployment(manager.db, id, options)
  return id
}

const link = (source: string, target: string, creator = 'custom') => ({
  dependency_creator: creator,
  source_deployment: source,
  target_deployment: target,
})
const put = (body: unknown, request: TestRequest = {}) => manager.inject('PUT', path, { body, ...request })
const remove = (body: unknown, query = '') => manager.inject('DELETE', `${path}${query}`, { body })
const list = async (query: string) => (await manager.inject('GET', `${path}?${query}`)).body
const labels = async (id: string) =>
  (await manager.inject('GET', `/deployments/${id}?_include=labels`)).body.labels.map(
    ({ key, value }: { key: string; value: string }) => `${key}=${value}`,
  )

test('a dependency is put, listed, and labels its target', async () => {
  const [a, b] = [await deployment(), await deployment()]
  const { status, body } = await put(link(a, b, 'sharedresource.vm_x'))
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      dependency_creator: 'sharedresource.vm_x',
      source_deployment_id: a,
      target_deployment_id: b,
      target_deployment_func: null,
      external_source: null,
      external_target: null,
      created_at: expect.stringMatching(/Z$/),
      created_by: 'admin',
      tenant_name: 'default_tenant',
      visibility: 'tenant',
      resource_availability: 'tenant',
      private_resource: false,
    },
  })
  expect(await labels(b)).toEqual([`csys-consumer-id=${a}`])
  expect((await list(`source_deployment_id=${a}&dependency_creator=sharedresource.vm_x`)).items).toEqual([
    body,
  ])
  expect((await list(`target_deployment_id=${a}`)).metadata.pagination.total).toBe(0)
  expect(await remove(link(a, b, 'sharedresource.vm_x'))).toMatchObject({
    status: 200,
    body: { id: body.id },
  })
  expect(await labels(b)).toEqual([])
})

test('components get no consumer label; one that is gone can still be let go', async () => {
  const [a, b] = [await deployment(), await deployment()]
  await put(link(a, b, 'component.one_x'))
  expect(await labels(b)).toEqual([])
  expect(
    (await manager.inject('GET', '/deployments?_environments_only=true&_include=id')).body.items,
  ).toEqual(expect.not.arrayContaining([{ id: b }]))
  await manager.db.deleteFrom('deployments').where('id', '=', b).execute()
  const query = `?dependency_creator=component.one_x&source_deployment=${a}&target_deployment=${b}`
  expect((await remove(undefined, query)).status).toBe(404)
  expect((await remove(undefined, `${query}&is_component_deletion=true`)).status).toBe(200)
  expect((await remove(undefined, `${query}&is_component_deletion=true`)).body).toMatchObject({
    error_code: 'not_found_error',
    message: expect.stringContaining('not found'),
  })
})

test('the label stays while there is another reason for it', async () => {
  const [a, b] = [await deployment(), await deployment()]
  await put(link(a, b, 'x'))
  await put(link(a, b, 'y'))
  await manager.inject('PATCH', `/deployments/${a}`, { body: { labels: [{ 'csys-obj-parent': b }] } })
  for (const creator of ['x', 'y']) {
    await remove(link(a, b, creator))
    expect(await labels(b)).toEqual([`csys-consumer-id=${a}`])
  }
  await manager.inject('PATCH', `/deployments/${a}`, { body: { labels: [] } })
  expect(await labels(b)).toEqual([])
})

test('circles are refused', async () => {
  const [a, b, c] = [await deployment(), await deployment(), await deployment()]
  await put(link(a, b))
  await put(link(b, c))
  for (const [source, target] of [
    [c, a],
    [b, a],
    [a, a],
  ] as const) {
    expect(await put(link(source, target))).toMatchObject({
      status: 409,
      body: {
        error_code: 'conflict_error',
        message: `cyclic dependency between deployments ${source} and ${target}`,
      },
    })
  }
})

test('of two dependencies that make a circle at once, one comes through', async () => {
  for (let round = 0; round < 5; round += 1) {
    const [a, b] = [await deployment(), await deployment()]
    const answers = await Promise.all([put(link(a, b)), put(link(b, a))])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  }
})

test('many at once, and all anew', async () => {
  const [a, b, c] = [await deployment(), await deployment(), await deployment()]
  const creators = (found: { items: { dependency_creator: string }[] }) =>
    found.items.map((item) => item.dependency_creator)
  const added = await manager.inject('POST', path, {
    body: {
      source_deployment_id: a,
      inter_deployment_dependencies: [
        {
          dependency_creator: 'one',
          target_deployment: b,
          id: 'my-id',
          created_at: '2020-01-01T00:00:00.000Z',
        },
        { dependency_creator: 'two', target_deployment_func: { function: { get_input: 'x' }, context: {} } },
        { dependency_creator: 'three', external_target: { deployment: 'far' } },
      ],
    },
  })
  expect(added.status).toBe(200)
  expect(added.body.items[0]).toEqual({ id: 'my-id' })
  expect(added.body.metadata.pagination.total).toBe(3)
  expect(creators(await list(`source_deployment_id=${a}`))).toEqual(['one', 'two', 'three'])
  expect((await list('id=my-id')).items[0].created_at).toBe('2020-01-01T00:00:00.000Z')
  const replaced = await manager.inject('PUT', `/deployments/${a}/inter-deployment-dependencies`, {
    body: {
      source_deployment_id: a,
      inter_deployment_dependencies: [{ dependency_creator: 'four', target_deployment: c }],
    },
  })
  expect(replaced.status).toBe(200)
  expect(creators(await list(`source_deployment_id=${a}`))).toEqual(['four'])
  expect([await labels(b), await labels(c)]).toEqual([[], [`csys-consumer-id=${a}`]])
  const circle = await manager.inject('PUT', `/deployments/${c}/inter-deployment-dependencies`, {
    body: { inter_deployment_dependencies: [{ dependency_creator: 'five', target_deployment: a }] },
  })
  expect(circle.status).toBe(409)
})

test('what is missing or wrong is said', async () => {
  const [a, b] = [await deployment(), await deployment()]
  const cases: [unknown, number, string][] = [
    [{ source_deployment: a, target_deployment: b }, 400, 'Missing dependency_creator'],
    [{ dependency_creator: 'x', target_deployment: b }, 400, 'Missing source_deployment'],
    [{ dependency_creator: 'x', source_deployment: a }, 400, 'One of target_deployment'],
    [link('nope', b), 404, 'Requested `Deployment` with ID `nope` was not found'],
    [link(a, 'nope'), 404, 'Requested `Deployment` with ID `nope` was not found'],
    [{ ...link(a, b), dependency_creator: 1 }, 400, 'expected to be of type str'],
    [{ ...link(a, b), visibility: 'x' }, 400, 'Invalid visibility'],
    [{ ...link(a, b), external_target: 'x' }, 400, 'external_target'],
    [[], 400, ''],
  ]
  for (const [body, status, message] of cases) {
    expect(await put(body)).toMatchObject({ status, body: { message: expect.stringContaining(message) } })
  }
  const func = await put({ ...link(a, 'nope'), target_deployment_func: { get_input: 'x' } })
  expect(func).toMatchObject({ status: 200, body: { target_deployment_id: null } })
  const external = await put({ ...link('ignored', b), external_source: { deployment: 'far', host: 'x' } })
  expect(external).toMatchObject({
    status: 200,
    body: { source_deployment_id: null, target_deployment_id: b, external_source: { deployment: 'far' } },
  })
})

test('a dependency whose source is elsewhere can be taken away', async () => {
  const b = await deployment()
  const body = { dependency_creator: 'far', target_deployment: b, external_source: { deployment: 'far' } }
  await put(body)
  expect((await remove(body)).status).toBe(200)
  expect((await remove(body)).status).toBe(404)
})

test('what functions name is found when an execution of the source is said to have ended', async () => {
  const b = await deployment()
  const a = await deployment({ inputs: { target: b } })
  const end = async (func: unknown, status: string, options: object = {}) => {
    const { body } = await put({ ...link(a, 'nope'), target_deployment_func: func })
    const { id } = await addExecution(manager.db, { deploymentId: a, status: 'started', ...options })
    const ended = await manager.inject('PATCH', `/executions/${id}`, { body: { status, error: 'its own' } })
    const [found] = (await list(`id=${body.id}`)).items
    await manager.db.deleteFrom('inter_deployment_dependencies').where('id', '=', body.id).execute()
    return { status: ended.body.status, error: ended.body.error, target: found.target_deployment_id }
  }
  const named = { function: { get_input: 'target' }, context: {} }
  expect(await end(named, 'terminated')).toEqual({ status: 'terminated', error: 'its own', target: b })
  expect(await labels(b)).toEqual([`csys-consumer-id=${a}`])
  expect(await end({ get_input: 'target' }, 'cancelled')).toMatchObject({ status: 'cancelled', target: b })
  expect(await end(named, 'terminated', { isDryRun: true })).toMatchObject({ target: null })
  expect(await end(named, 'cancelling')).toMatchObject({ status: 'cancelling', target: null })
  expect(await end({ get_input: 'none' }, 'terminated')).toEqual({
    status: 'failed',
    error: expect.stringContaining('The target of dependency custom cannot be evaluated'),
    target: null,
  })
  expect(await end({ get_input: 'none' }, 'failed')).toMatchObject({ status: 'failed', error: 'its own' })
  expect(await end({ get_sys: ['deployment', 'id'] }, 'terminated')).toMatchObject({
    status: 'failed',
    error: `cyclic dependency between deployments ${a} and ${a}`,
  })
})

/** Creates it as clients do; nobody is there to make its nodes. */
const create = (id: string, body: object = {}, request: TestRequest = {}) =>
  manager.inject('PUT', `/deployments/${id}?async_create=true`, {
    body: { blueprint_id: 'blueprint', ...body },
    ...request,
  })

test('a target that is not there is linked when it comes, and again when it comes back', async () => {
  await addBlueprint(manager.db, 'blueprint')
  const a = await deployment({ inputs: { target: 'later' } })
  const targets = async () =>
    Object.fromEntries(
      (await list(`source_deployment_id=${a}`)).items.map(
        (item: { dependency_creator: string; target_deployment_id: string | null }) => [
          item.dependency_creator,
          item.target_deployment_id,
        ],
      ),
    )
  const many = [
    { dependency_creator: 'bulk', target_deployment: 'later' },
    { dependency_creator: 'component.one_x', target_deployment: 'part' },
  ]
  const added = await manager.inject('PUT', `/deployments/${a}/inter-deployment-dependencies`, {
    body: { inter_deployment_dependencies: many },
  })
  expect(added.status).toBe(200)
  const func = { function: { get_input: 'target' }, context: {} }
  expect(
    await put({ dependency_creator: 'func', source_deployment: a, target_deployment_func: func }),
  ).toMatchObject({ status: 200, body: { target_deployment_id: null } })
  const { id } = await addExecution(manager.db, { deploymentId: a })
  await manager.inject('PATCH', `/executions/${id}`, { body: { status: 'terminated' } })
  const none = { bulk: null, func: null, 'component.one_x': null }
  expect(await targets()).toEqual(none)
  expect((await list('target_deployment_id=later')).items).toEqual([])

  expect((await create('later')).status).toBe(201)
  expect(await targets()).toEqual({ ...none, bulk: 'later', func: 'later' })
  expect(await labels('later')).toEqual([`csys-consumer-id=${a}`])
  expect((await create('part')).status).toBe(201)
  expect(await targets()).toEqual({ bulk: 'later', func: 'later', 'component.one_x': 'part' })
  expect(await labels('part')).toEqual([])

  // Whatever deletes it: what depends on it waits again.
  await manager.db.transaction().execute((transaction) => deleteDeployment(transaction, 0, 'later'))
  expect(await targets()).toEqual({ ...none, 'component.one_x': 'part' })
  expect((await create('later')).status).toBe(201)
  expect(await targets()).toEqual({ bulk: 'later', func: 'later', 'component.one_x': 'part' })
  expect(await labels('later')).toEqual([`csys-consumer-id=${a}`])
  expect(
    (await put({ dependency_creator: 'back', source_deployment: 'later', target_deployment: a })).status,
  ).toBe(409)
})

test('what waits for a target is not linked to one that its creator does not see', async () => {
  const a = await deployment()
  const body = {
    source_deployment_id: a,
    inter_deployment_dependencies: [{ dependency_creator: 'spy', target_deployment: 'of-alice' }],
  }
  expect((await manager.inject('POST', path, { body, user: 'bob' })).status).toBe(200)
  expect((await create('of-alice', { visibility: 'private' }, { user: 'alice' })).status).toBe(201)
  expect((await list(`source_deployment_id=${a}`)).items[0].target_deployment_id).toBe(null)
  expect(await labels('of-alice')).toEqual([])
})

test('of a target and what waits for it, made at once, none misses the other', async () => {
  await addBlueprint(manager.db, 'blueprint')
  for (let round = 0; round < 10; round += 1) {
    const a = await deployment()
    const target = `raced-${round}`
    const inter_deployment_dependencies = [{ dependency_creator: 'raced', target_deployment: target }]
    const answers = await Promise.all([
      manager.inject('POST', path, { body: { source_deployment_id: a, inter_deployment_dependencies } }),
      create(target),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 201])
    expect((await list(`source_deployment_id=${a}`)).items[0].target_deployment_id).toBe(target)
    expect(await labels(target)).toEqual([`csys-consumer-id=${a}`])
  }
})

test('nothing of other tenants or of somebody else', async () => {
  const other = await addTenant(manager.db, 'other')
  await addUser(manager.db, 'carol', { tenants: { [other]: 'user' } })
  await addDeployment(manager.db, 'theirs', { tenantId: other })
  const a = await deployment()
  const mine = await deployment({ visibility: 'private', createdBy: 'alice' })
  expect((await put(link(a, 'theirs'))).status).toBe(404)
  expect((await put(link(a, mine), { user: 'bob' })).status).toBe(404)
  expect((await put(link(mine, a), { user: 'bob' })).status).toBe(404)
  expect((await put(link(a, mine), { user: 'alice' })).status).toBe(200)
  expect((await put(link(a, mine), { user: 'viewer1' })).status).toBe(403)
  expect((await put(link('theirs', 'theirs'), { user: 'carol', tenant: 'default_tenant' })).status).toBe(403)
  expect(
    (await manager.inject('GET', path, { user: 'carol', tenant: 'other' })).body.metadata.pagination.total,
  ).toBe(0)
})

const restore = (source: string, target: string, request: TestRequest = {}) =>
  manager.inject('POST', path, {
    body: {
      source_deployment_id: source,
      inter_deployment_dependencies: [{ dependency_creator: 'waits', target_deployment: target }],
    },
    ...request,
  })
const targetOf = async (source: string) =>
  (await list(`source_deployment_id=${source}`)).items.map(
    (one: { target_deployment_id: string | null }) => one.target_deployment_id,
  )

test('what waits for a deployment that it may not see is linked when it may', async () => {
  const hers = { visibility: 'private', createdBy: 'alice' } as const
  const bob = { user: 'bob' }
  const [first, second] = [await deployment({ createdBy: 'bob' }), await deployment({ createdBy: 'bob' })]
  const [widened, given] = [await deployment(hers), await deployment(hers)]
  expect((await restore(first, widened, bob)).status).toBe(200)
  expect((await restore(second, given, bob)).status).toBe(200)
  expect([...(await targetOf(first)), ...(await targetOf(second))]).toEqual([null, null])
  expect(await labels(widened)).toEqual([])

  const wider = { visibility: 'tenant' }
  await manager.inject('PATCH', `/deployments/${widened}/set-visibility`, { body: wider, user: 'alice' })
  await manager.inject('PATCH', `/deployments/${given}`, { body: { creator: 'bob' } })
  expect([...(await targetOf(first)), ...(await targetOf(second))]).toEqual([widened, given])
  expect(await labels(widened)).toEqual([`csys-consumer-id=${first}`])
  const refused = await manager.inject('DELETE', `/deployments/${widened}`, { user: 'alice' })
  expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining(`\`${first}\``) } })
})

test('what would become a circle goes on waiting', async () => {
  const mine = await deployment({ createdBy: 'bob' })
  const hers = await deployment({ visibility: 'private', createdBy: 'alice' })
  expect((await put(link(hers, mine), { user: 'alice' })).status).toBe(200)
  expect((await restore(mine, hers, { user: 'bob' })).status).toBe(200)
  const wider = { body: { visibility: 'tenant' }, user: 'alice' }
  expect((await manager.inject('PATCH', `/deployments/${hers}/set-visibility`, wider)).status).toBe(200)
  expect(await targetOf(mine)).toEqual([null])
  expect(await labels(hers)).toEqual([])
})

test('a deployment that is not deleted after all is one to depend on again', async () => {
  for (const status of ['failed', 'cancelled']) {
    const [source, target] = [await deployment(), await deployment()]
    const { id } = await addExecution(manager.db, {
      deploymentId: target,
      workflowId: 'delete_deployment_environment',
    })
    expect((await restore(source, target)).status).toBe(200)
    expect(await targetOf(source)).toEqual([null])
    expect((await manager.inject('PATCH', `/executions/${id}`, { body: { status } })).status).toBe(200)
    expect(await targetOf(source)).toEqual([target])
    expect(await labels(target)).toEqual([`csys-consumer-id=${source}`])
  }
})

test('an id that is taken is a conflict', async () => {
  const [a, b] = [await deployment(), await deployment()]
  const body = { ...link(a, b), id: `taken-${a}` }
  expect((await put(body)).status).toBe(200)
  expect((await put(body)).status).toBe(409)
})
