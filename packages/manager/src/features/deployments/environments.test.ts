import { deleteDeployment } from '@tutti/domain/dependencies'
import { setExecutionStatus } from '@tutti/domain/executions'
import { type OpenDatabase, openDatabase } from '@tutti/storage'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDeployment, addExecution, addUser } from '../../../test/fixtures.ts'
import { startTestManager, type TestManager, type TestRequest } from '../../../test/test-manager.ts'

let manager: TestManager
let others: OpenDatabase[]
let next = 0

beforeAll(async () => {
  manager = await startTestManager()
  others = [1, 2].map(() => openDatabase({ ...manager.connection, max: 3 }))
  await addUser(manager.db, 'alice', { tenants: { 0: 'user' } })
  await addUser(manager.db, 'bob', { tenants: { 0: 'user' } })
})
afterAll(async () => {
  for (const database of others) await database.close()
  await manager.close()
})

/** One that is good, with these labels. */
async function deployment(...labels: readonly object[]): Promise<string> {
  const id = `d${next++}`
  await addDeployment(manager.db, id)
  await manager.db
    .updateTable('deployments')
    .set({ deployment_status: 'good' })
    .where('id', '=', id)
    .execute()
  if (labels.length > 0) expect((await label(id, ...labels)).status).toBe(200)
  return id
}
const isEnvironment = { 'csys-obj-type': 'Environment' }
const within = (parent: string) => ({ 'csys-obj-parent': parent })
const label = (id: string, ...labels: readonly object[]) =>
  manager.inject('PATCH', `/deployments/${id}`, { body: { labels } })
const setStatus = (id: string, deployment_status: string) =>
  manager.db.updateTable('deployments').set({ deployment_status }).where('id', '=', id).execute()

const shown = [
  'deployment_status',
  'sub_services_count',
  'sub_services_status',
  'sub_environments_count',
  'sub_environments_status',
] as const
type Shown = Readonly<Record<(typeof shown)[number], unknown>>

async function below(id: string, query = '', request: TestRequest = {}): Promise<Shown> {
  const { body } = await manager.inject(
    'GET',
    `/deployments/${id}?_include=${shown.join(',')}&${query}`,
    request,
  )
  return body
}

test('services and environments below are counted, the worst status goes up', async () => {
  const top = await deployment(isEnvironment)
  expect(await below(top)).toEqual({
    deployment_status: 'good',
    sub_services_count: 0,
    sub_services_status: null,
    sub_environments_count: 0,
    sub_environments_status: null,
  })
  const middle = await deployment(isEnvironment, within(top))
  const service = await deployment(within(middle))
  await deployment(within(top))
  expect(await below(top)).toEqual({
    deployment_status: 'good',
    sub_services_count: 2,
    sub_services_status: 'good',
    sub_environments_count: 1,
    sub_environments_status: 'good',
  })
  expect(await below(top, 'all_sub_deployments=False')).toMatchObject({
    sub_services_count: 1,
    sub_environments_count: 1,
  })
  await setStatus(service, 'requires_attention')
  expect(await below(top)).toEqual({
    deployment_status: 'requires_attention',
    sub_services_count: 2,
    sub_services_status: 'requires_attention',
    sub_environments_count: 1,
    sub_environments_status: 'requires_attention',
  })
  expect(await below(top, 'all_sub_deployments=false')).toMatchObject({
    sub_services_status: 'good',
    sub_environments_status: 'requires_attention',
  })
  await setStatus(service, 'in_progress')
  expect((await below(top)).deployment_status).toBe('in_progress')
  const { body } = await manager.inject('GET', `/deployments?deployment_status=in_progress&_include=id`)
  expect(body.items.map(({ id }: { id: string }) => id).sort()).toEqual([top, middle, service].sort())

  await label(service)
  expect(await below(top)).toMatchObject({ deployment_status: 'good', sub_services_count: 1 })
  await label(service, within(top), isEnvironment)
  expect(await below(top)).toMatchObject({ sub_services_count: 1, sub_environments_count: 2 })
  await manager.db.transaction().execute((transaction) => deleteDeployment(transaction, 0, middle))
  expect(await below(top)).toMatchObject({ sub_services_count: 1, sub_environments_count: 1 })
  expect((await manager.inject('GET', `/deployments/${top}`)).body.has_sub_deployments).toBe(true)
  expect((await manager.inject('GET', `/deployments/${service}`)).body.has_sub_deployments).toBe(false)
})

test('a parent must be there, seen, and not below', async () => {
  const [top, child] = [await deployment(), await deployment()]
  expect(await label(child, within('nope'))).toMatchObject({
    status: 404,
    body: {
      error_code: 'deployment_parent_not_found_error',
      message: 'Environment referenced by `csys-obj-parent` not found: nope',
    },
  })
  await label(child, within(top))
  const grandchild = await deployment(within(child))
  for (const [id, parent] of [
    [top, grandchild],
    [top, child],
    [top, top],
  ] as const) {
    expect(await label(id, within(parent))).toMatchObject({
      status: 409,
      body: { error_code: 'conflict_error', message: expect.stringMatching(/^cyclic dependencies: /) },
    })
  }
  const mine = await deployment()
  await manager.db
    .updateTable('deployments')
    .set({ visibility: 'private', created_by: 'alice' })
    .where('id', '=', mine)
    .execute()
  const by = (user: string) =>
    manager.inject('PATCH', `/deployments/${child}`, { user, body: { labels: [within(mine)] } })
  expect((await by('bob')).status).toBe(404)
  expect((await by('alice')).status).toBe(200)
  // What is there already may go on though its parent is gone.
  await manager.db.transaction().execute((transaction) => deleteDeployment(transaction, 0, mine))
  expect((await label(child, within(mine), { a: 'b' })).status).toBe(200)
})

test('of two that become each other\u2019s parents at once, one comes through', async () => {
  for (let round = 0; round < 5; round += 1) {
    const [a, b] = [await deployment(), await deployment()]
    const answers = await Promise.all([label(a, within(b)), label(b, within(a))])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  }
})

test('consumer labels are computed: nobody sets or removes them', async () => {
  const [a, b] = [await deployment(), await deployment()]
  const child = await deployment(within(a), within(b))
  const labelsOf = async (id: string) =>
    (await manager.inject('GET', `/deployments/${id}`)).body.labels.map(
      ({ key, value }: { key: string; value: string }) => `${key}=${value}`,
    )
  expect([await labelsOf(a), await labelsOf(b)]).toEqual(Array(2).fill([`csys-consumer-id=${child}`]))
  await label(a, { x: 'y' }, { 'csys-consumer-id': 'someone' })
  expect((await labelsOf(a)).sort()).toEqual([`csys-consumer-id=${child}`, 'x=y'])
  await label(child, within(b))
  expect([await labelsOf(a), await labelsOf(b)]).toEqual([['x=y'], [`csys-consumer-id=${child}`]])
  await manager.db.transaction().execute((transaction) => deleteDeployment(transaction, 0, child))
  expect(await labelsOf(b)).toEqual([])
})

test('a deletion that has begun takes no more children', async () => {
  const [top, child] = [await deployment(), await deployment()]
  expect((await manager.inject('DELETE', `/deployments/${top}`)).status).toBe(204)
  expect((await label(child, within(top))).status).toBe(404)
  const [other, late] = [await deployment(), await deployment()]
  const [labelled, deleted] = await Promise.all([
    label(late, within(other)),
    manager.inject('DELETE', `/deployments/${other}`),
  ])
  expect([
    [200, 400],
    [404, 204],
  ]).toContainEqual([labelled.status, deleted.status])
})

test('a ladder of shared parents counts by paths, beyond any integer', async () => {
  const top = await deployment(isEnvironment)
  let rungs = [top]
  for (let level = 0; level < 40; level += 1) {
    const parents = rungs
    rungs = [await deployment(), await deployment()]
    const labels = rungs.flatMap((id) => [
      ...parents.map((value) => ({ deployment_id: id, key: 'csys-obj-parent', value })),
      { deployment_id: id, key: 'csys-obj-type', value: 'environment' },
    ])
    await manager.db
      .insertInto('deployment_labels')
      .values(labels.map((one) => ({ ...one, tenant_id: 0, created_by: 'admin' })))
      .execute()
  }
  expect((await below(top)).sub_environments_count).toBe(2_147_483_647)
})

test('whatever happens at once, every sum is what a recount gives', async () => {
  // Four levels: 1, 3, 9 and 27 deployments; every other one below the top is an environment.
  const tree: string[] = [await deployment(isEnvironment)]
  for (let at = 1; at < 40; at += 1) {
    const parent = tree[Math.floor((at - 1) / 3)] as string
    tree.push(await deployment(within(parent), ...(at % 2 === 0 ? [isEnvironment] : [])))
  }
  const executions = new Map<string, string>()
  for (const id of tree) executions.set(id, (await addExecution(manager.db, { deploymentId: id })).id)

  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed % below
  }
  const pick = (from: number, to: number) => tree[from + random(to - from)] as string
  const acts: (() => Promise<unknown>)[] = []
  for (let n = 0; n < 240; n += 1) {
    const { db } = others[n % 2] as OpenDatabase
    const kind = random(10)
    if (kind < 4) {
      // Anywhere, to any parent: circles are refused.
      const [id, parent, second, isOne] = [pick(1, 40), pick(0, 13), pick(0, 13), random(2) === 1]
      const parents = [...new Set(random(3) === 0 ? [parent, second] : [parent])].map(within)
      acts.push(async () => {
        const { status } = await label(id, ...parents, ...(isOne ? [isEnvironment] : []))
        expect([200, 404, 409]).toContain(status)
      })
    } else if (kind < 9) {
      const id = pick(0, 40)
      const status = ['started', 'failed', 'terminated', 'pending'][random(4)] as string
      const key = { tenantId: 0, executionId: executions.get(id) as string }
      acts.push(() =>
        db.transaction().execute(async (transaction) => {
          const row = await transaction
            .selectFrom('executions')
            .select('id')
            .where('id', '=', key.executionId)
            .forNoKeyUpdate()
            .executeTakeFirst()
          if (row !== undefined) await setExecutionStatus(transaction, key, { status })
        }),
      )
    } else {
      const id = random(3) === 0 ? pick(0, 40) : pick(20, 40)
      acts.push(() => db.transaction().execute((transaction) => deleteDeployment(transaction, 0, id)))
    }
    if (n % 12 === 0) acts.push(() => manager.inject('GET', '/deployments?_include=id,deployment_status'))
  }
  const lanes = Array.from({ length: 8 }, async () => {
    for (let act = acts.shift(); act !== undefined; act = acts.shift()) await repeated(act)
  })
  await Promise.all(lanes)

  const { items } = (await manager.inject('GET', `/deployments?_include=id,${shown.join(',')}`)).body
  const counted = await recount()
  for (const item of items) expect(item).toEqual({ id: item.id, ...counted.get(item.id) })
  expect(items.filter((item: Shown) => item.sub_services_count !== 0).length).toBeGreaterThan(2)
  const { rows } = (await others[0]?.pool.query('select count(*)::int as left from environment_changes')) ?? {
    rows: [],
  }
  expect(rows).toEqual([{ left: 0 }])
})

/** A deadlock is one of the test's own making: the manager and workers repeat what was ended by it. */
async function repeated(act: () => Promise<unknown>): Promise<void> {
  try {
    await act()
  } catch (error) {
    if ((error as { code?: string }).code !== '40P01') throw error
    await repeated(act)
  }
}

/**
 * The definition, word by word (docs/reference/environments-and-dependencies.md, "Counts and statuses below"), from
 * labels and own statuses.
 */
async function recount(): Promise<ReadonlyMap<string, Shown>> {
  const deployments = await manager.db.selectFrom('deployments').select(['id', 'deployment_status']).execute()
  const labels = await manager.db
    .selectFrom('deployment_labels')
    .select(['deployment_id', 'key', 'value'])
    .execute()
  const has = (id: string, key: string, value: string) =>
    labels.some((one) => one.deployment_id === id && one.key === key && one.value === value)
  const ranks = [null, 'good', 'in_progress', 'requires_attention']
  const worst = (statuses: readonly unknown[]) =>
    ranks[Math.max(0, ...statuses.map((status) => ranks.indexOf(status as string)))]
  const known = new Map<string, Shown>()
  const count = (id: string, own: string): Shown => {
    const before = known.get(id)
    if (before !== undefined) return before
    const children = deployments
      .filter((child) => has(child.id, 'csys-obj-parent', id))
      .map((child) => ({
        isEnvironment: has(child.id, 'csys-obj-type', 'environment'),
        ...count(child.id, child.deployment_status),
      }))
    const [services, environments] = [
      children.filter((child) => !child.isEnvironment),
      children.filter((child) => child.isEnvironment),
    ]
    const sum = (numbers: readonly unknown[]) => numbers.reduce((a: number, b) => a + Number(b), 0)
    const sub_services_status = worst([
      ...services.map((child) => child.deployment_status),
      ...children.map((child) => child.sub_services_status),
    ])
    const sub_environments_status = worst([
      ...environments.map((child) => child.deployment_status),
      ...children.map((child) => child.sub_environments_status),
    ])
    const result: Shown = {
      deployment_status: worst([own, sub_services_status, sub_environments_status]),
      sub_services_count: Math.min(
        services.length + sum(children.map((child) => child.sub_services_count)),
        2_147_483_647,
      ),
      sub_services_status,
      sub_environments_count: Math.min(
        environments.length + sum(children.map((child) => child.sub_environments_count)),
        2_147_483_647,
      ),
      sub_environments_status,
    }
    known.set(id, result)
    return result
  }
  for (const { id, deployment_status } of deployments) count(id, deployment_status)
  return known
}
