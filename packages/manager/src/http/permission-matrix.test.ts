import {
  apiVersions,
  builtRoutes,
  defaultPermissions,
  ListAnswer,
  type Role,
  type Route,
  type RouteName,
  roles,
  routesOf,
  tokenCookie,
} from '@tutti/api'
import { wholeAnswer } from '@tutti/domain'
import { createMetrics } from '@tutti/storage'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addTenant, addUser } from '../../test/fixtures.ts'
import { headersOf, startTestManager, type TestManager } from '../../test/test-manager.ts'
import { handlers } from '../features/index.ts'
import type { Handlers } from '../request.ts'
import { buildApp } from './app.ts'

/**
 * Every endpoint of every version, asked by every role in its own and in another tenant, compared with the matrix of
 * docs/reference/access.md, "Permissions". Handlers are replaced by one that does nothing, so nothing is changed by
 * asking.
 */
let manager: TestManager
let app: ReturnType<typeof buildApp>

const noItems = async () =>
  new ListAnswer(
    async function* () {},
    async () => wholeAnswer([]).metadata,
  )
const idle = Object.fromEntries(
  Object.keys(handlers).map((name) => [
    name,
    name.endsWith('.list') ? noItems : async () => ({ services: {} }),
  ]),
) as unknown as Handlers

type Asking = {
  readonly username: string
  /** The roles that count in the tenant that is asked for. */
  readonly held: readonly Role[]
  readonly isBootstrapAdmin?: boolean
}

/** Everybody who asks for `lab`. Who has a role in `other` only holds nothing there but a system role. */
const tenantRoles = Object.keys(roles).filter((role) => roles[role as Role].type === 'tenant_role') as Role[]
const everybody: readonly Asking[] = [
  { username: 'nobody', held: ['default'] },
  ...tenantRoles.map((role): Asking => ({ username: `${role}-here`, held: ['default', role] })),
  ...tenantRoles.map((role): Asking => ({ username: `${role}-elsewhere`, held: ['default'] })),
  ...tenantRoles.map((role): Asking => ({ username: `${role}-by-group`, held: ['default', role] })),
  { username: 'system', held: ['sys_admin'] },
  { username: 'system-by-group', held: ['default', 'sys_admin'] },
  { username: 'admin', held: [], isBootstrapAdmin: true },
]

beforeAll(async () => {
  manager = await startTestManager()
  const { db } = manager
  const [lab, other] = [await addTenant(db, 'lab'), await addTenant(db, 'other')]
  const group = async (name: string, userId: number, role: string, tenantRole?: Role) => {
    const { id } = await db
      .insertInto('user_groups')
      .values({ name, role })
      .returning('id')
      .executeTakeFirstOrThrow()
    await db.insertInto('user_group_members').values({ group_id: id, user_id: userId }).execute()
    if (tenantRole === undefined) return
    await db.insertInto('tenant_groups').values({ tenant_id: lab, group_id: id, role: tenantRole }).execute()
  }
  await addUser(db, 'nobody')
  await addUser(db, 'system', { role: 'sys_admin' })
  await group('administrators', await addUser(db, 'system-by-group'), 'sys_admin')
  for (const role of tenantRoles) {
    await addUser(db, `${role}-here`, { tenants: { [lab]: role } })
    await addUser(db, `${role}-elsewhere`, { tenants: { [other]: role } })
    await group(`${role}s`, await addUser(db, `${role}-by-group`), 'default', role)
  }
  // From here on nobody's rights change, so nothing is forgotten, and each refusal need not be looked up anew.
  const { directory } = manager.services
  directory.onListening(true)
  const unchanging = { ...directory, fresh: directory.remembered }
  app = buildApp({ ...manager.services, directory: unchanging, metrics: createMetrics() }, idle)
})
afterAll(async () => {
  await app.close()
  await manager.close()
})

type Needed = Exclude<Route['permission'], 'anonymous'>

function isAllowed(permission: Needed, { held, isBootstrapAdmin }: Asking): boolean {
  if (permission === 'authenticated' || permission === 'optional' || isBootstrapAdmin === true) return true
  return held.some((role) => defaultPermissions[permission]?.includes(role))
}

async function ask(method: string, path: string, headers: Readonly<Record<string, string>>, query = '') {
  // The body is looked at only after the permission: one that fits no schema tells the two apart.
  const answer = await app.inject({
    method: method as 'GET',
    url: path + query,
    headers,
    payload: '{"tenant_name":"lab"}',
  })
  const { error_code: code, message } = (answer.body === '' ? {} : answer.json()) as Record<string, string>
  const isRefused =
    code === 'unauthorized_error' ||
    (code === 'forbidden_error' && message?.includes('perform the action') === true)
  // Whoever is let through may yet be told that the body is wrong, but nothing of permissions.
  if (!isRefused) expect(code, answer.body).not.toBe('forbidden_error')
  expect(answer.statusCode, answer.body).toBeLessThan(500)
  return { isRefused, status: answer.statusCode, message }
}

async function tokenOf({ username }: Asking): Promise<string> {
  const { body } = await manager.inject('POST', '/tokens', { user: username, tenant: 'lab', body: {} })
  return body.value
}

describe.each(apiVersions)('%s', (version) => {
  const served = routesOf(version).filter(({ name }) => Object.hasOwn(builtRoutes, name))

  test.each(served.map(({ name, route }) => [name as RouteName, route] as const))(
    '%s',
    async (_name, route) => {
      const inLab = route.tenant === 'path' ? route.path.replace(':tenant_name', 'lab') : route.path
      const path = inLab.replaceAll(/:\w+/g, 'x').replace(/\*$/, 'blueprints/lab/x/y')
      const url = route.base === 'root' ? path : `/api/${version}${path}`
      const { permission } = route
      if (permission === 'anonymous') {
        expect((await ask(route.method, url, {})).isRefused).toBe(false)
        return
      }
      // What may be asked for without credentials is the handler's to say.
      const isOptional = permission === 'optional'
      expect(await ask(route.method, url, {})).toMatchObject(
        isOptional ? { isRefused: false } : { isRefused: true, status: 401 },
      )
      expect(await ask(route.method, url, { authorization: `Basic ${btoa('nobody:wrong')}` })).toMatchObject({
        isRefused: true,
        status: 401,
      })
      for (const asking of everybody) {
        const headers = headersOf({ user: asking.username, tenant: 'lab' })
        const { isRefused, message, status } = await ask(
          route.method,
          url,
          route.credentials === 'cookie'
            ? { cookie: `a=b; ${tokenCookie}=${await tokenOf(asking)}` }
            : headers,
        )
        // Only the cookie counts where it does, and then all refusals are of one kind.
        if (route.credentials === 'cookie') {
          expect((await ask(route.method, url, headers)).status).toBe(401)
          if (isRefused) expect(status).toBe(401)
        }
        expect({ who: asking.username, isRefused }, message).toEqual({
          who: asking.username,
          isRefused: !isAllowed(permission, asking),
        })
        if (isRefused) expect(message).toContain(`is not permitted to perform the action ${permission}`)
      }
      // In all of their tenants those may read who may in one of them, where the endpoint says so.
      if (!route.allTenants || permission === 'authenticated' || isOptional) return
      for (const role of tenantRoles) {
        const elsewhere = headersOf({ user: `${role}-elsewhere`, tenant: 'lab' })
        const { isRefused } = await ask(route.method, url, elsewhere, '?_all_tenants=true')
        expect({ role, isRefused }).toEqual({
          role,
          isRefused: !defaultPermissions[permission]?.includes(role),
        })
      }
    },
  )
})
