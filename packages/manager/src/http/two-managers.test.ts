import { sha256 } from '@tutti/domain/authentication'
import { listen } from '@tutti/storage'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { addBlueprint, addDeployment, addTenant, addUser } from '../../test/fixtures.ts'
import {
  startTestManager,
  type TestAnswer,
  type TestManager,
  type TestRequest,
} from '../../test/test-manager.ts'

/** Requests at once to two managers on one database, both of which remember rights and hear of changes. */
let first: TestManager
let second: TestManager
let close: () => Promise<void>

beforeAll(async () => {
  first = await startTestManager()
  second = await startTestManager({}, first)
  const listeners = await Promise.all([first, second].map(hearing))
  close = async () => {
    for (const listener of listeners) await listener.close()
    await second.close()
    await first.close()
  }
  for (const name of ['one', 'two', 'three']) await addTenant(first.db, name)
})
afterAll(() => close())

/** Hears of changes from now on, as a manager does that was started by `startManager`. */
const heard: string[] = []
async function hearing({ connection, services: { directory, slowDown, id }, shared }: TestManager) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const listener = listen(
    connection,
    (notification) => {
      directory.onNotification(notification)
      if (notification.kind === 'login_failed' && notification.manager !== id) {
        slowDown.failed(notification.key)
        heard.push(notification.key)
      }
      shared.onNotification(notification)
    },
    (isListening) => {
      directory.onListening(isListening)
      shared.onListening(isListening)
      if (isListening) resolve()
    },
  )
  await promise
  return listener
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
let sent = 0
/** To each of the managers in its turn. */
function send(method: Method, path: string, body?: object, request: TestRequest = {}): Promise<TestAnswer> {
  sent += 1
  const manager = sent % 2 === 0 ? first : second
  return manager.inject(method, path, { ...request, ...(body !== undefined && { body }) })
}

const rounds = [1, 2, 3]

/** Statuses of all, none of which may be the fault of a manager. */
function statuses(answers: readonly TestAnswer[]): readonly number[] {
  for (const { status, text } of answers) expect(status, text).toBeLessThan(500)
  return answers.map(({ status }) => status)
}

const rule = { key: 'a', values: ['b'], operator: 'any_of', type: 'label' }

test('whoever is deleted while things of his are created leaves none behind', async () => {
  await addBlueprint(first.db, 'app')
  const imported = (key: string) => ({
    key,
    value: 'v',
    encrypted: false,
    visibility: 'tenant',
    tenant_name: 'default_tenant',
    is_hidden_value: false,
  })
  for (const round of rounds) {
    const user = `leaver${round}`
    await addUser(first.db, user, { role: 'sys_admin' })
    // Both managers know him.
    for (const manager of [first, second]) {
      expect((await manager.inject('GET', '/sites', { user })).status).toBe(200)
    }
    const answers = await Promise.all([
      send('PUT', `/deployments/${user}?async_create=true`, { blueprint_id: 'app' }, { user }),
      send('PUT', `/sites/${user}`, {}, { user }),
      send('DELETE', `/users/${user}`),
      send('PUT', `/secrets/${user}`, { value: 'v' }, { user }),
      send('PUT', `/filters/blueprints/${user}`, { filter_rules: [rule] }, { user }),
      send('PUT', `/deployment-groups/${user}`, {}, { user }),
      send('POST', '/secrets/share/import', { secrets_list: [imported(`${user}-imported`)] }, { user }),
      send('POST', '/tokens', {}, { user }),
      send('PUT', `/sites/${user}-given`, { created_by: user }),
      send('PUT', '/tenants/users', { username: user, tenant_name: 'one', role: 'user' }),
    ])
    const [, , deleted] = statuses(answers)
    const { rows } = await sql`
      select created_by from (
        select created_by from deployments union all select created_by from sites union all
        select created_by from secrets union all select created_by from blueprint_filters union all
        select created_by from deployment_groups) owned
      where created_by = ${user}`.execute(first.db)
    if (deleted === 204) {
      expect(rows).toEqual([])
      // Of his tenants and of what he was given, too, nothing that was said to be done is gone.
      expect(statuses(answers.slice(-2))).not.toContain(200)
    } else {
      expect(rows.length).toBeGreaterThan(0)
      await first.db.updateTable('users').set({ role: 'default' }).where('username', '=', user).execute()
    }
  }
})

test('an administrator stays, whoever takes the role from whom and how', async () => {
  for (const round of rounds) {
    const chiefs = ['a', 'b'].map((letter) => `chief-${letter}${round}`)
    for (const name of chiefs) await addUser(first.db, name, { role: 'sys_admin' })
    statuses(
      await Promise.all(
        ['admin', ...chiefs].flatMap((name) => [
          send('POST', `/users/active/${name}`, { action: 'deactivate' }),
          send('POST', `/users/${name}`, { role: 'default' }),
          send('DELETE', `/users/${name}`),
        ]),
      ),
    )
    const administrators = await first.db
      .selectFrom('users')
      .select('username')
      .where('role', '=', 'sys_admin')
      .where('active', '=', true)
      .execute()
    expect(administrators).not.toEqual([])
    await first.db.deleteFrom('users').where('username', 'in', chiefs).execute()
    await first.db
      .updateTable('users')
      .set({ active: true, role: 'sys_admin' })
      .where('username', '=', 'admin')
      .execute()
  }
})

test('a right counts at once on both, and is gone on both when it was taken away', async () => {
  await addUser(first.db, 'wanda', { tenants: { 0: 'user' } })
  const ask = (path: string, manager: TestManager) => manager.inject('GET', path, { user: 'wanda' })
  /** On the other manager as soon as it hears of it, on this one at once. */
  const isRefused = async (path: string, status = 403) => {
    expect((await ask(path, first)).status).toBe(status)
    while ((await ask(path, second)).status !== status);
  }
  const ways = [
    [
      ['POST', '/users/wanda', { role: 'sys_admin' }],
      ['POST', '/users/wanda', { role: 'default' }],
    ],
    [
      ['PUT', '/user-groups/users', { username: 'wanda', group_name: 'chiefs' }],
      ['DELETE', '/user-groups/users', { username: 'wanda', group_name: 'chiefs' }],
    ],
    [
      ['PUT', '/permissions/default/user_list', undefined],
      ['DELETE', '/permissions/default/user_list', undefined],
    ],
  ] as const
  await first.inject('POST', '/user-groups', { body: { group_name: 'chiefs', role: 'sys_admin' } })
  for (const [give, take] of ways) {
    await isRefused('/users')
    const [given, taken] = [give, take].map(
      ([method, path, body]) =>
        () =>
          first.inject(method, path, body === undefined ? {} : { body }),
    )
    expect((await given?.())?.status).toBeLessThan(300)
    for (const manager of [second, first]) expect((await ask('/users', manager)).status).toBe(200)
    expect((await taken?.())?.status).toBeLessThan(300)
    await isRefused('/users')
  }
  const { body } = await first.inject('POST', '/tokens', { user: 'wanda' })
  const byToken = (manager: TestManager) => manager.inject('GET', '/sites', { token: body.value })
  expect((await byToken(second)).status).toBe(200)
  await first.inject('DELETE', `/tokens/${body.id}`)
  expect((await byToken(first)).status).toBe(401)
  while ((await byToken(second)).status !== 401);
  await first.inject('POST', '/users/active/wanda', { body: { action: 'deactivate' } })
  await isRefused('/sites', 401)
})

test('guesses at both managers count together', async () => {
  await addUser(first.db, 'guessed', { tenants: { 0: 'user' } })
  const authorization = `Basic ${Buffer.from('guessed:guess').toString('base64')}`
  const guess = async ({ app }: TestManager) =>
    (await app.inject({ url: '/api/v3.1/user', headers: { authorization } })).statusCode
  for (let index = 0; index < 4; index += 1) expect(await guess(first)).toBe(401)
  const key = sha256('guessed 127.0.0.1')
  // The fifth is the second manager's; it hears of the others a moment later.
  await vi.waitFor(() => expect(heard.filter((one) => one === key)).toHaveLength(4), { timeout: 60_000 })
  expect(await guess(second)).toBe(401)
  expect(await guess(second)).toBe(429)
})

test.each([
  ['deployment_filters', 'id', '/filters/deployments', 'PATCH', { filter_rules: [rule] }],
  ['deployment_groups', 'id', '/deployment-groups', 'PUT', {}],
  ['secrets_providers', 'name', '/secrets-providers', 'PATCH', { type: 'vault', connection_parameters: {} }],
] as const)('of %s of one id a global one is the only one', async (table, column, path, change, body) => {
  for (const round of rounds) {
    const id = `wide${round}`
    const make = (tenant: string, visibility: string) =>
      table === 'secrets_providers'
        ? send('PUT', path, { ...body, name: id, visibility }, { tenant })
        : send('PUT', `${path}/${id}`, { ...body, visibility }, { tenant })
    expect((await make('one', 'tenant')).status).toBe(200)
    statuses(
      await Promise.all([
        make('two', 'global'),
        make('three', 'tenant'),
        send(change, `${path}/${id}`, { visibility: 'global' }, { tenant: 'one' }),
        make('three', 'global'),
        send('DELETE', `${path}/${id}`, undefined, { tenant: 'one' }),
        make('default_tenant', 'tenant'),
      ]),
    )
    const { rows } = await sql<{ tenant_id: number; visibility: string }>`
      select tenant_id, visibility from ${sql.table(table)} where ${sql.ref(column)} = ${id}`.execute(
      first.db,
    )
    if (rows.some(({ visibility }) => visibility === 'global')) expect(rows).toHaveLength(1)
    else expect(new Set(rows.map((row) => row.tenant_id)).size).toBe(rows.length)
  }
})

test('environments that are put into each other make no circle, and their sums are what is in them', async () => {
  const ids = Array.from({ length: 6 }, (_, index) => `environment${index}`)
  for (const id of ids) await addDeployment(first.db, id)
  const parent = (index: number) => ({ 'csys-obj-parent': ids[index % ids.length] })
  for (const round of rounds) {
    statuses(
      await Promise.all(
        ids.flatMap((id, index) => [
          send('PATCH', `/deployments/${id}`, { labels: [parent(index + 1)] }),
          send('PATCH', `/deployments/${id}`, {
            labels: [parent(index + round), parent(index + 2), { 'csys-obj-type': 'environment' }],
          }),
        ]),
      ),
    )
    const { rows } = await sql<{ id: string; environments: number; services: number; is_circle: boolean }>`
      with recursive labels as (
        select deployment_id as id, key, value from deployment_labels
      ), below (root, id) as (
        select value, id from labels where key = 'csys-obj-parent'
        union all
        select b.root, l.id from below b join labels l on l.key = 'csys-obj-parent' and l.value = b.id
      ) cycle id set is_circle using path
      select root as id, bool_or(is_circle) as is_circle,
        count(*) filter (where t.id is not null)::int as environments,
        count(*) filter (where t.id is null)::int as services
      from below b left join labels t on t.id = b.id and t.key = 'csys-obj-type'
      group by root`.execute(first.db)
    expect(rows.filter((row) => row.is_circle)).toEqual([])
    for (const id of ids) {
      const { environments = 0, services = 0 } = rows.find((row) => row.id === id) ?? {}
      expect((await send('GET', `/deployments/${id}`)).body, id).toMatchObject({
        sub_environments_count: environments,
        sub_services_count: services,
      })
    }
  }
})
