import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDeployment, addTenant, addUser } from '../../test/fixtures.ts'
import { passwordOf, type TestAnswer } from '../../test/test-manager.ts'
import { startTestSystem, type TestSystem } from '../../test/test-system.ts'

/** Requests that contradict each other, sent at once: some win, the others are told so, and what is stored is whole. */
let system: TestSystem
const tenants = ['one', 'two', 'three', 'four'] as const
beforeAll(async () => {
  system = await startTestSystem()
  for (const name of tenants) await addTenant(system.db, name)
  await system.upload('app')
})
afterAll(() => system.close())

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
const send = (method: Method, path: string, body?: object, tenant = 'default_tenant'): Promise<TestAnswer> =>
  system.inject(method, path, { tenant, ...(body !== undefined && { body }) })

const rounds = [1, 2, 3]

/** Statuses of all, none of which may be the fault of the manager. */
function statuses(answers: readonly TestAnswer[]): readonly number[] {
  for (const { status, text } of answers) expect(status, text).toBeLessThan(500)
  return answers.map(({ status }) => status)
}
const successes = (answers: readonly TestAnswer[]) =>
  statuses(answers).filter((status) => status < 300).length

const rule = { key: 'a', values: ['b'], operator: 'any_of', type: 'label' }

test.each([
  ['a site', (id: string) => send('PUT', `/sites/${id}`, {}), '/sites'],
  ['a secret', (id: string) => send('PUT', `/secrets/${id}`, { value: 'v' }), '/secrets'],
  [
    'a filter',
    (id: string) => send('PUT', `/filters/blueprints/${id}`, { filter_rules: [rule] }),
    '/filters/blueprints',
  ],
  [
    'a deployment',
    (id: string) => send('PUT', `/deployments/${id}?async_create=true`, { blueprint_id: 'app' }),
    '/deployments',
  ],
  ['a tenant', (id: string) => send('POST', `/tenants/${id}`), '/tenants'],
  ['a user', (id: string) => send('PUT', '/users', { username: id, password: passwordOf(id) }), '/users'],
  [
    'a user group',
    (id: string) => send('POST', '/user-groups', { group_name: id, ldap_group_dn: `cn=${id}` }),
    '/user-groups',
  ],
] as const)('one of many makes %s of one name', async (_what, make, list) => {
  for (const round of rounds) {
    const id = `race${round}`
    const answers = await Promise.all(Array.from({ length: 8 }, () => make(id)))
    expect(successes(answers)).toBe(1)
    expect(new Set(statuses(answers).filter((status) => status >= 300))).toEqual(new Set([409]))
    const found = (await send('GET', `${list}?_search=${id}`)).body.items
    expect(found.filter((item: object) => Object.values(item).includes(id))).toHaveLength(1)
  }
})

test.each([
  ['sites', (id: string, tenant: string, body: object) => send('PUT', `/sites/${id}`, body, tenant)],
  [
    'secrets',
    (id: string, tenant: string, body: object) =>
      send('PUT', `/secrets/${id}`, { value: 'v', ...body }, tenant),
  ],
] as const)(
  'of %s of one id at most one becomes global, and then it is the only one',
  async (table, make) => {
    for (const round of rounds) {
      const id = `wide${round}`
      await make(id, 'one', {})
      await make(id, 'two', {})
      statuses(
        await Promise.all([
          send(table === 'sites' ? 'POST' : 'PATCH', `/${table}/${id}`, { visibility: 'global' }, 'one'),
          send(table === 'sites' ? 'POST' : 'PATCH', `/${table}/${id}`, { visibility: 'global' }, 'two'),
          send('DELETE', `/${table}/${id}`, undefined, 'two'),
          make(id, 'three', {}),
          make(id, 'four', { visibility: 'global' }),
        ]),
      )
      const rows = await system.db
        .selectFrom(table)
        .select(['tenant_id', 'visibility'])
        .where(table === 'sites' ? 'name' : ('key' as 'name'), '=', id)
        .execute()
      const hasGlobal = rows.some(({ visibility }) => visibility === 'global')
      if (hasGlobal) expect(rows).toHaveLength(1)
      else expect(rows.length).toBeGreaterThan(0)
    }
  },
)

test('labels that are set at once are those of one of the requests', async () => {
  for (const round of rounds) {
    const id = `labelled${round}`
    await addDeployment(system.db, id)
    const sets = Array.from({ length: 6 }, (_, set) =>
      Array.from({ length: 5 }, (_, index) => ({ [`key${index}`]: `set${set}` })),
    )
    const answers = await Promise.all(sets.map((labels) => send('PATCH', `/deployments/${id}`, { labels })))
    expect(successes(answers)).toBe(6)
    const { labels } = (await send('GET', `/deployments/${id}`)).body
    expect(labels).toHaveLength(5)
    expect(new Set(labels.map(({ value }: { value: string }) => value)).size).toBe(1)
  }
})

test('one of those who know the same version of an instance changes it', async () => {
  await addDeployment(system.db, 'versions', { nodes: [{ id: 'n', instances: [{ id: 'versions_1' }] }] })
  for (const round of rounds) {
    const { version } = (await send('GET', '/node-instances/versions_1')).body
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        send('PATCH', '/node-instances/versions_1', {
          version,
          runtime_properties: { winner: `${round}-${index}` },
        }),
      ),
    )
    expect(successes(answers)).toBe(1)
    const winner = statuses(answers).indexOf(200)
    expect((await send('GET', '/node-instances/versions_1')).body).toMatchObject({
      version: version + 1,
      runtime_properties: { winner: `${round}-${winner}` },
    })
  }
})

test('a blueprint that is deleted while deployments are made of it has all of them, or none', async () => {
  for (const round of rounds) {
    const id = `gone${round}`
    await system.upload(id)
    const [deleted, ...created] = await Promise.all([
      send('DELETE', `/blueprints/${id}`),
      ...Array.from({ length: 4 }, (_, index) =>
        send('PUT', `/deployments/${id}-${index}?async_create=true`, { blueprint_id: id }),
      ),
    ])
    const made = successes(created)
    statuses([deleted as TestAnswer])
    expect(made === 0 || deleted?.status !== 204, `${made} made, deletion ${deleted?.status}`).toBe(true)
    const { items } = (await send('GET', `/deployments?blueprint_id=${id}`)).body
    expect(items).toHaveLength(made)
    expect((await send('GET', `/blueprints/${id}`)).status).toBe(deleted?.status === 204 ? 404 : 200)
  }
})

test('what is deleted while somebody joins it takes nobody along', async () => {
  for (const round of rounds) {
    const [name, user] = [`room${round}`, `guest${round}`]
    await addUser(system.db, user)
    await send('POST', `/tenants/${name}`)
    await send('POST', '/user-groups', { group_name: name })
    const [, , ...joined] = await Promise.all([
      send('DELETE', `/tenants/${name}`),
      send('DELETE', `/user-groups/${name}`),
      send('PUT', '/tenants/users', { username: user, tenant_name: name, role: 'user' }),
      send('PUT', '/tenants/user-groups', { group_name: name, tenant_name: name, role: 'user' }),
      send('PUT', '/user-groups/users', { username: user, group_name: name }),
      send('PUT', `/sites/${name}`, {}, name),
    ])
    statuses(joined)
    const hasTenant = (await send('GET', `/tenants/${name}`)).status === 200
    const hasGroup = (await send('GET', `/user-groups/${name}`)).status === 200
    const { body } = await send('GET', `/users/${user}?_get_data=true`)
    expect(Object.keys(body.tenants).includes(name)).toBe(
      hasTenant && (await send('GET', `/tenants/${name}?_get_data=true`)).body.users[user] !== undefined,
    )
    expect(body.groups.includes(name)).toBe(
      hasGroup && (await send('GET', `/user-groups/${name}?_get_data=true`)).body.users.includes(user),
    )
  }
})

test('an administrator stays, whoever deactivates whom', async () => {
  const names = ['chief1', 'chief2', 'chief3']
  for (const name of names) await addUser(system.db, name, { role: 'sys_admin' })
  await Promise.all(
    [...names, 'admin'].map((name) =>
      system.inject('POST', `/users/active/${name}`, {
        user: 'admin',
        tenant: null,
        body: { action: 'deactivate' },
      }),
    ),
  )
  const active = await system.db
    .selectFrom('users')
    .select('username')
    .where('role', '=', 'sys_admin')
    .where('active', '=', true)
    .execute()
  expect(active.length).toBeGreaterThan(0)
  await system.db.updateTable('users').set({ active: true }).execute()
})

test('a site that is renamed or deleted while deployments go there leaves no link to nothing', async () => {
  for (const round of rounds) {
    const [site, id] = [`place${round}`, `placed${round}`]
    await send('PUT', `/sites/${site}`, {})
    await addDeployment(system.db, id)
    statuses(
      await Promise.all([
        send('POST', `/deployments/${id}/set-site`, { site_name: site }),
        send('POST', `/sites/${site}`, { new_name: `${site}-new` }),
        send('POST', `/deployments/${id}/set-site`, { site_name: site }),
        send('DELETE', `/sites/${site}`),
        send('POST', `/deployments/${id}/set-site`, { detach_site: true }),
      ]),
    )
    const { site_name: linked } = (await send('GET', `/deployments/${id}`)).body
    if (linked !== null) expect((await send('GET', `/sites/${linked}`)).status).toBe(200)
  }
})
