import {
  apiVersions,
  builtRoutes,
  defaultPermissions,
  managerPermissions,
  type Permission,
  type Route,
  type RouteName,
  routesOf,
} from '@tutti/api'
import type { Caller } from '@tutti/domain/authentication'
import { rightsOf } from '@tutti/domain/authentication'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addDeployment, addExecution, addTenant, addUser } from '../test/fixtures.ts'
import { headersOf, startTestManager, type TestManager } from '../test/test-manager.ts'

/**
 * Attacks by what a blueprint's author wrote and the first administrator runs: its token acts in its tenant, and gets at
 * nothing that is the whole manager's.
 */
let manager: TestManager
let home: number
let token: string
let systemToken: string

beforeAll(async () => {
  manager = await startTestManager()
  const { db } = manager
  home = await addTenant(db, 'home')
  const away = await addTenant(db, 'away')
  await addUser(db, 'viewer', { tenants: { [home]: 'viewer' } })
  await addUser(db, 'operator', { tenants: { [home]: 'operations' } })
  await addDeployment(db, 'here', {
    tenantId: home,
    nodes: [{ id: 'node', instances: [{ id: 'here_1' }] }],
  })
  await addDeployment(db, 'there', { tenantId: away, blueprintId: 'theirs' })
  token = (await addExecution(db, { tenantId: home, deploymentId: 'here' })).token
  const system = await addExecution(db, { tenantId: home, deploymentId: 'here' })
  systemToken = system.token
  await db.updateTable('executions').set({ is_system_workflow: true }).where('id', '=', system.id).execute()
})
afterAll(() => manager.close())

const ask = (method: Route['method'], path: string, body?: unknown, executionToken = token) =>
  manager.inject(method, path, { executionToken, tenant: 'home', body })

describe.each(apiVersions)('%s', (version) => {
  const served = routesOf(version).filter(({ name }) => Object.hasOwn(builtRoutes, name))

  test.each(served.map(({ name, route }) => [name as RouteName, route] as const))(
    '%s',
    async (_name, { base, method, path: pattern, permission, reach, credentials, tenant }) => {
      const filled = pattern.replace(':tenant_name', 'home').replaceAll(/:\w+/g, 'x').replace(/\*$/, 'x')
      const url = base === 'root' ? filled : `/api/${version}${filled}`
      const { authorization: _, ...headers } = headersOf({ executionToken: token, tenant: 'home' })
      // A body that fits no schema: what is let through is told so, and changes nothing.
      const answer = await manager.app.inject({
        method,
        url,
        headers: credentials === 'cookie' ? { cookie: `XSRF-TOKEN=${token}` } : headers,
        payload: tenant === 'body' ? '{"tenant_name":"home"}' : '{',
      })
      const isRefused = answer.statusCode === 401 || /is for its tenant|perform the action/.test(answer.body)
      const isOfManager = reach === 'manager' || (reach === 'everybody' && method !== 'GET')
      const isPermitted =
        !['anonymous', 'optional', 'authenticated'].includes(permission) &&
        managerPermissions.has(permission as Permission)
      expect({ isRefused }, answer.body).toEqual({
        isRefused: (isOfManager && permission !== 'anonymous') || isPermitted,
      })
    },
  )
})

test('what belongs to no tenant is the manager’s, or known to be needed', () => {
  const open = Object.entries<Route>(builtRoutes)
    .filter(([, { tenant, reach }]) => tenant !== 'required' && reach !== 'manager')
    .map(([name, { reach }]) => `${name} ${reach}`)
  expect(open.sort()).toEqual([
    'brokers.list everybody',
    'config.get everybody',
    'config.list everybody',
    'identityProvider.get everybody',
    'maintenance.get everybody',
    'managers.get everybody',
    'managers.list everybody',
    'ok.get everybody',
    'providerContext.get everybody',
    'resources.authorize tenant',
    'resources.get tenant',
    'status.get everybody',
    'tenants.get tenant',
    'tenants.list tenant',
    'user.get everybody',
    'version.get everybody',
  ])
})

test('what only administrators of the system hold is the manager’s', () => {
  const theirs = Object.entries(defaultPermissions).filter(([, roles]) =>
    roles.every((role) => role === 'sys_admin'),
  )
  expect(theirs.length).toBeGreaterThan(70)
  for (const [permission] of theirs) expect(managerPermissions, permission).toContain(permission)
})

test('nor do rights count in another tenant', () => {
  const execution = { id: 'e', tenantId: home, status: 'started' }
  const caller: Omit<Caller, 'execution'> = {
    userId: 0,
    username: 'admin',
    systemRole: 'sys_admin',
    systemRoles: ['sys_admin'],
    tenantRoles: {},
    by: 'execution',
    passwordHash: null,
  }
  const holds = (tenantId: number | undefined, isSystemWorkflow = false) =>
    rightsOf(
      { ...caller, execution: { ...execution, isSystemWorkflow } },
      defaultPermissions,
      tenantId,
    ).holds('administrators')
  expect([holds(home), holds(home + 1), holds(home + 1, true)]).toEqual([true, false, true])
})

const secret = { value: 'v', visibility: 'global' }
const rules = { filter_rules: [{ key: 'a', values: ['b'], operator: 'any_of', type: 'label' }] }
test.each([
  ['GET', '/users?_include_hash=true'],
  ['GET', '/users'],
  ['GET', '/users/admin'],
  ['GET', '/user?_include_hash=true'],
  ['GET', '/user?_get_data=true'],
  ['GET', '/user-groups'],
  ['GET', '/audit'],
  ['GET', '/tenants?_get_data=true'],
  ['GET', '/tenants/home?_get_data=true'],
  ['GET', '/tenants/away'],
  ['GET', '/tokens'],
  ['POST', '/tokens', {}],
  ['GET', '/permissions'],
  ['GET', '/license'],
  ['GET', '/ldap'],
  ['GET', '/cluster-status'],
  ['GET', '/db-nodes'],
  ['PUT', '/config/max_concurrent_workflows', { value: 1 }],
  ['PUT', '/secrets/global', secret],
  ['PUT', '/sites/global', { visibility: 'global' }],
  ['PUT', '/filters/deployments/global', { ...rules, visibility: 'global' }],
  ['PUT', '/filters/blueprints/global', { ...rules, visibility: 'global' }],
  ['PUT', '/secrets-providers', { name: 'global', type: 'local', visibility: 'global' }],
  ['PUT', '/deployment-groups/global', { visibility: 'global' }],
  ['PATCH', '/blueprints/blueprint/set-global'],
  ['PATCH', '/blueprints/blueprint/set-visibility', { visibility: 'global' }],
  ['PATCH', '/deployments/here/set-visibility', { visibility: 'global' }],
  ['PUT', '/secrets/old', { value: 'x', created_at: '2000-01-01T00:00:00.000Z' }],
  ['PUT', '/sites/given', { created_by: 'viewer' }],
  ['PATCH', '/deployments/here', { creator: 'viewer' }],
] as const)(
  'the token of an execution that the administrator started: %s %s',
  async (method, path, body?: unknown) => {
    const answer = await ask(method, path, body)
    expect(answer, answer.text).toMatchObject({ status: 403, body: { error_code: 'forbidden_error' } })
  },
)

test.each([
  ['/tenants?_include=name', ['home']],
  ['/deployments?_all_tenants=true&_include=id', ['here']],
])('of what there is it is shown its own tenant’s: %s', async (path, expected) => {
  const { items } = (await ask('GET', path)).body
  expect(items.map((item: Record<string, string>) => item.name ?? item.id)).toEqual(expected)
})

test.each([
  '/user',
  '/version',
  '/status',
  '/managers',
  '/brokers',
  '/config',
  '/provider/context',
  '/tenants/home',
  '/secrets',
])('what operations need they get: %s', async (path) => {
  expect((await ask('GET', path)).status).toBe(200)
})

test('a workflow of the manager itself may', async () => {
  expect((await ask('GET', '/users?_include_hash=true', undefined, systemToken)).status).toBe(200)
  expect((await ask('PUT', '/secrets/by-system', secret, systemToken)).status).toBe(200)
})

describe('who says how an execution goes', () => {
  async function stored(owner = 'admin') {
    const execution = await addExecution(manager.db, {
      tenantId: home,
      deploymentId: 'here',
      createdBy: owner,
    })
    const graph = { execution_id: execution.id, name: 'install', graph_id: execution.id }
    const task = {
      id: `o-${execution.id}`,
      name: 'state',
      type: 'SetNodeInstanceStateTask',
      dependencies: [],
      parameters: { task_kwargs: { node_instance_id: 'here_1', state: 'deleted' } },
    }
    const made = await manager.inject('POST', '/tasks_graphs', {
      tenant: 'home',
      body: { ...graph, operations: [task] },
    })
    expect(made.status, made.text).toBe(201)
    return {
      ...execution,
      operation: task.id,
      task: { ...task, id: `n-${execution.id}`, graph_id: graph.graph_id },
    }
  }
  const stateOf = async () =>
    (await manager.inject('GET', '/node-instances/here_1', { tenant: 'home' })).body.state

  test('nobody who only looks', async () => {
    const { operation, id, task } = await stored()
    const as = { user: 'viewer', tenant: 'home' }
    const before = await stateOf()
    const attempts = [
      ['PATCH', `/operations/${operation}`, { state: 'succeeded' }],
      ['PUT', `/operations/${task.id}`, task],
      ['DELETE', `/operations/${operation}`],
      [
        'POST',
        '/operations',
        { action: 'update-stored', deployment_id: 'here', node_id: 'node', operation: 'x' },
      ],
      ['POST', '/tasks_graphs', { execution_id: id, name: 'other', operations: [] }],
      ['PATCH', `/tasks_graphs/${id}`, { state: 'x' }],
      ['PATCH', `/executions/${id}`, { status: 'terminated' }],
      ['POST', `/executions/${id}`, { action: 'cancel' }],
      [
        'POST',
        '/events',
        { execution_id: id, logs: [{ message: { text: 'x' }, level: 'info', context: {} }] },
      ],
      ['PATCH', '/node-instances/here_1', { version: 99, state: 'deleted' }],
      ['POST', '/nodes', { deployment_id: 'here', nodes: [{ id: 'more', type: 'cloudify.nodes.Root' }] }],
      [
        'POST',
        '/node-instances',
        { deployment_id: 'here', node_instances: [{ id: 'more_1', node_id: 'node' }] },
      ],
      ['PUT', '/agents/more', { node_instance_id: 'here_1' }],
      ['PATCH', '/agents/more', { state: 'started' }],
      ['POST', '/provider/context?update=true', { name: 'x', context: {} }],
    ] as const
    for (const [method, path, body] of attempts) {
      const answer = await manager.inject(method, path, { ...as, body })
      expect(answer, `${method} ${path}: ${answer.text}`).toMatchObject({ status: 403 })
    }
    expect(await stateOf()).toBe(before)
  })

  test('no other execution', async () => {
    const { operation, task } = await stored()
    const changes = [
      ['PATCH', `/operations/${operation}`, { state: 'succeeded' }],
      ['PUT', `/operations/${task.id}`, task],
      ['DELETE', `/operations/${operation}`],
      ['POST', '/tasks_graphs', { execution_id: task.graph_id, name: 'other', operations: [] }],
    ] as const
    for (const [method, path, body] of changes) {
      const answer = await ask(method, path, body)
      expect(answer, `${method} ${path}: ${answer.text}`).toMatchObject({ status: 403 })
    }
  })

  test('the execution itself, and who may start one', async () => {
    const own = await stored('viewer')
    expect(
      await ask('PATCH', `/operations/${own.operation}`, { state: 'succeeded' }, own.token),
    ).toMatchObject({
      status: 200,
    })
    expect(await stateOf()).toBe('deleted')
    const other = await stored()
    const as = { user: 'operator', tenant: 'home', body: { state: 'started' } }
    expect(await manager.inject('PATCH', `/operations/${other.operation}`, as)).toMatchObject({ status: 200 })
  })
})
