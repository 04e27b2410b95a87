import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addBlueprint, addDeployment, addExecution, addPlugin, addTenant, addUser } from '../test/fixtures.ts'
import { startTestManager, type TestManager } from '../test/test-manager.ts'

/**
 * Who sees and who may change what, for everything that has a visibility: every kind × every visibility × every asker,
 * by the list, by the id and by a change (docs/reference/rest-conventions.md, "Visibility").
 */
let manager: TestManager
beforeAll(async () => {
  manager = await startTestManager()
  const { db } = manager
  const [home, away] = [await addTenant(db, 'home'), await addTenant(db, 'away')]
  for (const role of ['viewer', 'operations', 'user', 'manager'])
    await addUser(db, role, { tenants: { [home]: role } })
  await addUser(db, 'creator', { tenants: { [home]: 'user' } })
  await addUser(db, 'stranger', { tenants: { [away]: 'manager' } })
  await addUser(db, 'system', { role: 'sys_admin' })
  for (const kind of kinds) {
    for (const visibility of visibilities) {
      await kind.add({ tenantId: home, visibility, createdBy: 'creator' }, idOf(kind, visibility))
    }
  }
})
afterAll(() => manager.close())

type Visibility = 'private' | 'tenant' | 'global'
const visibilities: readonly Visibility[] = ['private', 'tenant', 'global']
type Owner = { readonly tenantId: number; readonly visibility: Visibility; readonly createdBy: string }

type Kind = {
  readonly path: string
  readonly add: (owner: Owner, id: string) => Promise<unknown>
  /** A change that alters nothing, or is refused for what it asks; and the roles of the tenant that may make it. */
  readonly change?: {
    readonly method: 'PATCH' | 'PUT' | 'POST'
    readonly path?: string
    readonly body: object
  }
  readonly changers?: readonly string[]
  /** The field that is the id. */
  readonly key?: string
}

const node = (id: string) => [{ id: `${id}-node`, instances: [{ id: `${id}-instance` }] }]
const uploaders = ['user', 'manager', 'system', 'creator']
const operators = [...uploaders, 'operations']

const kinds: readonly Kind[] = [
  {
    path: '/blueprints',
    add: (owner, id) => addBlueprint(manager.db, id, owner),
    change: { method: 'PATCH', body: { labels: [] } },
    changers: uploaders,
  },
  {
    path: '/deployments',
    add: (owner, id) => addDeployment(manager.db, id, { ...owner, blueprintId: `of-${id}`, nodes: node(id) }),
    change: { method: 'PATCH', body: { labels: [] } },
    changers: operators,
  },
  {
    path: '/plugins',
    add: (owner, id) => addPlugin(manager.db, id, owner),
    change: { method: 'PATCH', body: { labels: {} } },
    changers: uploaders,
  },
  {
    path: '/sites',
    key: 'name',
    add: ({ tenantId, visibility, createdBy }, name) =>
      manager.db
        .insertInto('sites')
        .values({ tenant_id: tenantId, name, visibility, created_by: createdBy })
        .execute(),
    change: { method: 'POST', body: { location: '1,1' } },
    changers: uploaders,
  },
  {
    path: '/secrets',
    key: 'key',
    add: ({ tenantId, visibility, createdBy }, key) =>
      manager.db
        .insertInto('secrets')
        .values({
          tenant_id: tenantId,
          key,
          visibility,
          created_by: createdBy,
          value: manager.services.keys.seal('v'),
        })
        .execute(),
    change: { method: 'PATCH', body: { value: 'v' } },
    changers: uploaders,
  },
  ...(['deployment', 'blueprint'] as const).map(
    (filtered): Kind => ({
      path: `/filters/${filtered}s`,
      add: ({ tenantId, visibility, createdBy }, id) =>
        manager.db
          .insertInto(`${filtered}_filters`)
          .values({ tenant_id: tenantId, id, visibility, created_by: createdBy, value: '[]' })
          .execute(),
      change: { method: 'PATCH', body: { filter_rules: [] } },
      changers: operators,
    }),
  ),
  {
    path: '/deployment-groups',
    add: ({ tenantId, visibility, createdBy }, id) =>
      manager.db
        .insertInto('deployment_groups')
        .values({ tenant_id: tenantId, id, visibility, created_by: createdBy })
        .execute(),
    change: { method: 'PATCH', body: { add: { deployment_ids: [] } } },
    changers: operators,
  },
  {
    path: '/secrets-providers',
    key: 'name',
    add: ({ tenantId, visibility, createdBy }, name) =>
      manager.db
        .insertInto('secrets_providers')
        .values({ tenant_id: tenantId, name, type: 'local', visibility, created_by: createdBy })
        .execute(),
    change: { method: 'PATCH', body: { type: 'local' } },
    changers: uploaders,
  },
]

const idOf = (kind: Kind, visibility: Visibility) => `${prefixOf(kind)}-${visibility}`
const prefixOf = ({ path }: Kind) => path.slice(1).replace('/', '-')

const inHome = ['viewer', 'operations', 'user', 'manager', 'creator', 'system']
const askers = [
  ...inHome.map((user) => [user, 'home'] as const),
  ['stranger', 'away'],
  ['system', 'away'],
] as const

function sees(user: string, tenant: string, visibility: Visibility): boolean {
  if (visibility === 'global') return true
  if (tenant !== 'home') return false
  return visibility === 'tenant' || ['creator', 'manager', 'system'].includes(user)
}

describe.each(kinds)('$path', (kind) => {
  const { path, key = 'id', change, changers = [] } = kind

  test.each(askers)('%s in %s', async (user, tenant) => {
    const { body } = await manager.inject('GET', path, { user, tenant })
    const listed = body.items.map((item: Record<string, string>) => item[key])
    for (const visibility of visibilities) {
      const id = idOf(kind, visibility)
      const isSeen = sees(user, tenant, visibility)
      expect(listed.includes(id), `${id} in the list`).toBe(isSeen)
      expect((await manager.inject('GET', `${path}/${id}`, { user, tenant })).status, id).toBe(
        isSeen ? 200 : 404,
      )
      if (change === undefined) continue
      const answer = await manager.inject(change.method, `${path}/${id}${change.path ?? ''}`, {
        user,
        tenant,
        body: change.body,
      })
      const mayChange = changers.includes(user) || user === 'stranger'
      const expected = !mayChange
        ? 'forbidden_error'
        : !isSeen
          ? 'not_found_error'
          : tenant === 'home'
            ? undefined
            : 'illegal_action_error'
      expect(answer.body.error_code, `changing ${id}: ${answer.text}`).toBe(expected)
    }
  })

  test('over all tenants one sees those where one may', async () => {
    const ids = async (user: string) =>
      (
        await manager.inject('GET', `${path}?_all_tenants=true&_size=1000`, { user, tenant: 'away' })
      ).body.items
        .map((item: Record<string, string>) => item[key])
        .filter((id: string) => id.startsWith(`${prefixOf(kind)}-`))
        .sort()
    const all = visibilities.map((visibility) => idOf(kind, visibility)).sort()
    expect(await ids('system')).toEqual(all)
    expect(await ids('stranger')).toEqual([idOf(kind, 'global')])
  })
})

test('nodes, instances and executions are seen as their deployment is', async () => {
  for (const visibility of visibilities) {
    const deploymentId = `deployments-${visibility}`
    const row = await manager.db
      .selectFrom('deployments')
      .select('tenant_id')
      .where('id', '=', deploymentId)
      .executeTakeFirstOrThrow()
    await addExecution(manager.db, {
      tenantId: row.tenant_id,
      visibility,
      createdBy: 'creator',
      deploymentId,
    })
    for (const [user, tenant] of askers) {
      const isSeen = sees(user, tenant, visibility)
      for (const path of ['/nodes', '/node-instances', '/executions']) {
        const { body } = await manager.inject('GET', `${path}?deployment_id=${deploymentId}`, {
          user,
          tenant,
        })
        expect(body.items.length, `${path} of ${deploymentId} for ${user} in ${tenant}`).toBe(isSeen ? 1 : 0)
      }
      const path = `/node-instances/${deploymentId}-instance`
      expect((await manager.inject('GET', path, { user, tenant })).status, path).toBe(isSeen ? 200 : 404)
    }
  }
})

test('labels of what is private to others are not listed', async () => {
  for (const visibility of visibilities) {
    const { tenant_id: tenantId } = await manager.db
      .selectFrom('deployments')
      .select('tenant_id')
      .where('id', '=', `deployments-${visibility}`)
      .executeTakeFirstOrThrow()
    await manager.db
      .insertInto('deployment_labels')
      .values({
        tenant_id: tenantId,
        deployment_id: `deployments-${visibility}`,
        key: `of-${visibility}`,
        value: visibility,
        created_by: 'creator',
      })
      .execute()
  }
  for (const user of inHome) {
    const { items } = (await manager.inject('GET', '/labels/deployments', { user, tenant: 'home' })).body
    expect(items.includes('of-private'), user).toBe(sees(user, 'home', 'private'))
    expect(items).toContain('of-tenant')
    const values = (await manager.inject('GET', '/labels/deployments/of-private', { user, tenant: 'home' }))
      .body
    expect(values.items, user).toEqual(sees(user, 'home', 'private') ? ['private'] : [])
  }
})

test.each(['deployment_groups', 'deployment_filters', 'blueprint_filters'] as const)(
  'a tenant whose only global resource is one of %s shows it to the others, and its owner stays',
  async (table) => {
    const [name, id] = [`lone-${table}`, `only-of-${table}`]
    const tenantId = await addTenant(manager.db, name)
    await addUser(manager.db, id)
    const row = { tenant_id: tenantId, id, visibility: 'global', created_by: id } as const
    if (table === 'deployment_groups') await manager.db.insertInto(table).values(row).execute()
    else
      await manager.db
        .insertInto(table)
        .values({ ...row, value: '[]' })
        .execute()
    const path = { deployment_groups: '/deployment-groups', deployment_filters: '/filters/deployments' }[
      table as string
    ]
    const { body } = await manager.inject('GET', `${path ?? '/filters/blueprints'}/${id}`, {
      user: 'viewer',
      tenant: 'home',
    })
    expect(body).toMatchObject({ id, tenant_name: name })
    const deletion = await manager.inject('DELETE', `/users/${id}`, { tenant: null })
    expect(deletion.body.message).toContain(`Cannot delete user \`${id}\`: has ${table.replace('_', ' ')}`)
  },
)
