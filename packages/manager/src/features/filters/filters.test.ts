import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDeployment, addTenant, addUser } from '../../../test/fixtures.ts'
import { startTestManager, type TestManager, type TestRequest } from '../../../test/test-manager.ts'

let manager: TestManager

beforeAll(async () => {
  manager = await startTestManager()
  const { db } = manager
  const other = await addTenant(db, 'other')
  await addUser(db, 'alice', { tenants: { 0: 'user' } })
  await addUser(db, 'bob', { tenants: { 0: 'operations' } })
  await addUser(db, 'viewer1', { tenants: { 0: 'viewer' } })
  await addUser(db, 'carol', { tenants: { [other]: 'user' } })
})
afterAll(() => manager.close())

let next = 0
const named = () => `filter${next++}`
const call = (
  method: 'GET' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  request: TestRequest = {},
) => manager.inject(method, `/filters/${path}`, { ...request, body })

const label = { key: 'Env', values: ['prod'], operator: 'any_of', type: 'label' }
const stored = { ...label, key: 'env' }
const owner = { key: 'created_by', values: ['alice'], operator: 'not_any_of', type: 'attribute' }

test.each(['deployments', 'blueprints'])(
  'a filter for %s is stored, shown, listed, changed and deleted',
  async (kind) => {
    const id = named()
    const created = await call(
      'PUT',
      `${kind}/${id}`,
      { filter_rules: [label, owner, label] },
      { user: 'alice' },
    )
    expect(created).toMatchObject({
      status: 200,
      body: {
        id,
        value: [stored, owner],
        labels_filter_rules: [stored],
        attrs_filter_rules: [owner],
        is_system_filter: false,
        visibility: 'tenant',
        resource_availability: 'tenant',
        created_by: 'alice',
        tenant_name: 'default_tenant',
      },
    })
    expect((await call('GET', `${kind}/${id}`, undefined, { user: 'viewer1' })).body).toEqual(created.body)
    expect((await call('GET', `${kind}?_search=${id.toUpperCase()}&is_nothing=1`)).body.items).toEqual([
      created.body,
    ])

    const other = { ...stored, values: ['dev'] }
    const changed = (await call('PATCH', `${kind}/${id}`, { filter_rules: [other] })).body
    expect(changed.value).toEqual([owner, other])
    expect(changed.updated_at >= created.body.updated_at).toBe(true)
    expect((await call('PATCH', `${kind}/${id}`, { filter_rules: [stored, owner] })).body.value).toEqual([
      stored,
      owner,
    ])
    expect((await call('PATCH', `${kind}/${id}`, { filter_rules: [] })).body.value).toEqual([stored, owner])
    expect((await call('PATCH', `${kind}/${id}`, { visibility: 'global' })).body).toMatchObject({
      visibility: 'global',
      value: [stored, owner],
    })
    const seen = await call('GET', `${kind}/${id}`, undefined, { tenant: 'other', user: 'carol' })
    expect(seen.status).toBe(200)
    expect(
      (await call('DELETE', `${kind}/${id}`, undefined, { tenant: 'other', user: 'carol' })).body.error_code,
    ).toBe('illegal_action_error')
    expect(await call('DELETE', `${kind}/${id}`)).toMatchObject({ status: 204, text: '' })
    expect((await call('GET', `${kind}/${id}`)).body.message).toBe(
      `Requested \`${kind === 'deployments' ? 'DeploymentsFilter' : 'BlueprintsFilter'}\` with ID \`${id}\` was not found`,
    )
  },
)

test('what cannot be a filter is refused', async () => {
  const id = named()
  const put = async (body: unknown, path = `deployments/${id}`, request: TestRequest = {}) =>
    (await call('PUT', path, body, request)).body
  expect(await put({})).toMatchObject({ message: 'Missing filter_rules in json request body' })
  const bad = { ...label, operator: 'contains' }
  expect(await put({ filter_rules: [bad] })).toMatchObject({
    error_code: 'invalid_filter_rule',
    err_filter_rule: bad,
    err_reason: expect.any(String),
  })
  expect(await put({ filter_rules: 'x' })).toMatchObject({ error_code: 'bad_parameters_error' })
  expect((await put({ filter_rules: [owner] }, 'deployments/csys-mine')).message).toContain('reserved')
  expect((await put({ filter_rules: [owner] }, 'deployments/1x')).error_code).toBe('bad_parameters_error')
  expect(
    (await put({ filter_rules: [owner], visibility: 'global' }, `deployments/${id}`, { user: 'alice' }))
      .error_code,
  ).toBe('forbidden_error')
  expect((await put({ filter_rules: [owner] }, `deployments/${id}`, { user: 'viewer1' })).error_code).toBe(
    'forbidden_error',
  )
  await put({ filter_rules: [owner], visibility: 'private' }, `deployments/${id}`, { user: 'alice' })
  expect((await put({ filter_rules: [owner] })).error_code).toBe('conflict_error')
  expect((await call('GET', `deployments/${id}`, undefined, { user: 'bob' })).status).toBe(404)
  expect((await call('PATCH', `deployments/${id}`, {})).body.error_code).toBe('illegal_action_error')
  // The two kinds do not share their ids.
  expect((await call('PUT', `blueprints/${id}`, { filter_rules: [owner] })).status).toBe(200)
  const attribute = { ...owner, key: 'site_name' }
  expect((await call('PUT', `blueprints/${named()}`, { filter_rules: [attribute] })).body.error_code).toBe(
    'invalid_filter_rule',
  )
})

test('every tenant sees the filters that come with the manager, and nobody changes them', async () => {
  for (const request of [{}, { tenant: 'other', user: 'carol' }]) {
    const { body } = await call('GET', 'deployments?_search=csys-', undefined, request)
    expect(body.items.map(({ id }: { id: string }) => id).sort()).toEqual([
      'csys-environment-filter',
      'csys-k8s-filter',
      'csys-service-filter',
      'csys-terraform-filter',
    ])
    expect((await call('GET', 'deployments/csys-environment-filter', undefined, request)).body).toMatchObject(
      {
        is_system_filter: true,
        visibility: 'global',
      },
    )
  }
  const label = (key: string, operator: string, ...values: string[]) => ({
    type: 'label',
    key,
    operator,
    values,
  })
  const isTop = label('csys-obj-parent', 'is_null')
  for (const [id, value] of [
    ['environment', [label('csys-obj-type', 'any_of', 'environment'), isTop]],
    ['service', [label('csys-obj-type', 'is_not', 'environment'), isTop]],
    ['k8s', [label('obj-type', 'any_of', 'k8s')]],
    ['terraform', [label('obj-type', 'any_of', 'terraform')]],
  ] as const) {
    expect((await call('GET', `deployments/csys-${id}-filter`)).body.value, id).toEqual(value)
  }
  for (const [method, body] of [
    ['PATCH', { filter_rules: [owner] }],
    ['DELETE', undefined],
  ] as const) {
    expect((await call(method, 'deployments/csys-k8s-filter', body)).body.error_code).toBe(
      'illegal_action_error',
    )
  }
  const listed = await manager.inject('GET', '/deployments?_filter_id=csys-service-filter', {
    tenant: 'other',
    user: 'carol',
  })
  expect(listed.status).toBe(200)
})

test('a list names a stored filter, and says how many it leaves out', async () => {
  const [first, second, id] = [named(), named(), named()]
  await addDeployment(manager.db, first, { createdBy: 'alice' })
  await addDeployment(manager.db, second, { createdBy: 'bob' })
  await call('PUT', `deployments/${id}`, { filter_rules: [{ ...owner, operator: 'any_of' }] })
  const { body } = await manager.inject('GET', `/deployments?_filter_id=${id}&_include=id`)
  expect(body).toEqual({
    items: [{ id: first }],
    metadata: { pagination: { total: 1, offset: 0, size: 1000 }, filtered: 1 },
  })
  expect((await manager.inject('GET', '/deployments')).body.metadata.filtered).toBeNull()
  for (const [path, model] of [
    ['/deployments?_filter_id=nope', 'DeploymentsFilter'],
    ['/blueprints?_filter_id=nope', 'BlueprintsFilter'],
  ] as const) {
    expect((await manager.inject('GET', path)).body.message).toContain(
      `Requested \`${model}\` with ID \`nope\``,
    )
  }
})
