import { apiVersions, builtRoutes, hasRoute, type Route, type RouteName } from '@tutti/api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addBlueprint, addDeployment, addUser } from '../test/fixtures.ts'
import { startTestManager, type TestManager } from '../test/test-manager.ts'

/**
 * What is meant to be private when it is created is private: whichever version is spoken, whether it is said in the
 * query, in the body or in both, and in either of the two words for it.
 */
let manager: TestManager
beforeAll(async () => {
  manager = await startTestManager()
  await addUser(manager.db, 'alice', { tenants: { 0: 'user' } })
  await addUser(manager.db, 'bob', { tenants: { 0: 'user' } })
  await addBlueprint(manager.db, 'app')
  await addDeployment(manager.db, 'one', {
    blueprintId: 'app',
    nodes: [{ id: 'vm', instances: [{ id: 'vm_1' }] }],
  })
  await addDeployment(manager.db, 'two', { blueprintId: 'app' })
})
afterAll(() => manager.close())

type Creation = {
  readonly method: 'PUT'
  readonly path: (id: string) => string
  readonly query?: string
  readonly body?: (id: string) => object
  /** Where it is seen by those who see it, and what of it names it there. */
  readonly list: string
  readonly seenAs?: string
}

const url = `blueprint_archive_url=http://127.0.0.1:9/x.zip&async_upload=true`
const creations: Readonly<Partial<Record<RouteName, Creation>>> = {
  'blueprints.upload': {
    method: 'PUT',
    path: (id) => `/blueprints/${id}`,
    query: url,
    list: '/blueprints?_include=id',
  },
  'deployments.create': {
    method: 'PUT',
    path: (id) => `/deployments/${id}`,
    query: 'async_create=true',
    body: () => ({ blueprint_id: 'app' }),
    list: '/deployments?_include=id',
  },
  'secrets.create': {
    method: 'PUT',
    path: (id) => `/secrets/${id}`,
    body: () => ({ value: 'x' }),
    list: '/secrets',
  },
  'secretsProviders.create': {
    method: 'PUT',
    path: () => '/secrets-providers',
    body: (name) => ({ name, type: 'local' }),
    list: '/secrets-providers',
  },
  'sites.create': { method: 'PUT', path: (id) => `/sites/${id}`, list: '/sites' },
  'deploymentGroups.put': {
    method: 'PUT',
    path: (id) => `/deployment-groups/${id}`,
    list: '/deployment-groups',
  },
  'deploymentsFilters.create': {
    method: 'PUT',
    path: (id) => `/filters/deployments/${id}`,
    body: () => ({ filter_rules: [] }),
    list: '/filters/deployments',
  },
  'blueprintsFilters.create': {
    method: 'PUT',
    path: (id) => `/filters/blueprints/${id}`,
    body: () => ({ filter_rules: [] }),
    list: '/filters/blueprints',
  },
  'agents.create': {
    method: 'PUT',
    path: (id) => `/agents/${id}`,
    body: () => ({ node_instance_id: 'vm_1', state: 'started', create_rabbitmq_user: false }),
    list: '/agents',
  },
  'dependencies.create': {
    method: 'PUT',
    path: () => '/deployments/inter-deployment-dependencies',
    body: (id) => ({ dependency_creator: id, source_deployment: 'one', target_deployment: 'two' }),
    list: '/deployments/inter-deployment-dependencies',
  },
}

test('every creation of something that can be private is tried', () => {
  const names = Object.entries<Route>(builtRoutes)
    .filter(([, { body }]) => typeof body === 'object' && 'private_resource' in body.properties)
    .map(([name]) => name)
  // Its parameters are also in the query, or in a part of the body.
  expect([...names, 'blueprints.upload'].sort()).toEqual(Object.keys(creations).sort())
})

/** Each says private: in the query, in the body. */
const said: readonly (readonly [query: string, body: Readonly<Record<string, unknown>>])[] = [
  ['private_resource=True', {}],
  ['private_resource=true', { private_resource: false }],
  ['visibility=private', {}],
  ['', { private_resource: true }],
  ['private_resource=False', { private_resource: 'true' }],
  ['', { visibility: 'private' }],
]

let made = 0
for (const [name, creation] of Object.entries(creations)) {
  const versions = apiVersions.filter((version) => hasRoute(version, builtRoutes[name as RouteName].since))
  describe.each(versions)(`${name} of %s`, (version) => {
    const create = (id: string, query: string, body: object) =>
      manager.inject(
        creation.method,
        `/api/${version}${creation.path(id)}?${[creation.query, query].filter(Boolean).join('&')}`,
        {
          user: 'alice',
          body: name === 'blueprints.upload' ? undefined : { ...creation.body?.(id), ...body },
        },
      )
    const isSeenBy = async (user: string, id: string) =>
      (await manager.inject('GET', creation.list, { user })).text.includes(`"${id}"`)

    test.each(name === 'blueprints.upload' ? said.filter(([query]) => /true|private$/i.test(query)) : said)(
      '?%s %j',
      async (query, body) => {
        made += 1
        const id = `x${made}`
        const created = await create(id, query, body)
        expect(created.status, created.text).toBeLessThan(300)
        expect([await isSeenBy('alice', id), await isSeenBy('bob', id)]).toEqual([true, false])
      },
    )

    test('what is not said to be private is seen, and what is said twice must agree', async () => {
      made += 1
      const id = `x${made}`
      expect((await create(id, 'private_resource=False', {})).status).toBeLessThan(300)
      expect(await isSeenBy('bob', id)).toBe(true)
      expect((await create(`${id}-both`, 'private_resource=true&visibility=private', {})).status).toBe(400)
      if (name === 'blueprints.upload') return
      expect((await create(`${id}-two`, 'visibility=private', { visibility: 'tenant' })).body).toMatchObject({
        error_code: 'bad_parameters_error',
        message: expect.stringContaining('said twice'),
      })
      expect(await isSeenBy('alice', `${id}-two`)).toBe(false)
    })
  })
}
