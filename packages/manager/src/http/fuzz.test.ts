import { apiVersions, builtRoutes, type Route, routesOf, tokenCookie } from '@tutti/api'
import { listen } from '@tutti/storage'
import fc from 'fast-check'
import {
  IsArray,
  IsBoolean,
  IsInteger,
  IsLiteral,
  IsNull,
  IsObject,
  IsString,
  IsUnion,
  type TSchema,
} from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addDeployment, addExecution, addTenant, addUser } from '../../test/fixtures.ts'
import { headersOf, startTestManager, type TestManager } from '../../test/test-manager.ts'

/**
 * Requests made up from the schemas of every endpoint in every version: fields of wrong types, missing and further
 * ones, huge, empty and strange texts, ids that exist and that do not. Whatever comes, the answer has the API's shape,
 * none is a 500, and none lets others wait.
 */
let manager: TestManager
let cookieToken: string
let listener: ReturnType<typeof listen>
const seed = Number(process.env.TUTTI_TEST_SEED ?? Date.now() % 2 ** 31)
const requestsPerRoute = Number(process.env.TUTTI_FUZZ_REQUESTS ?? 15)
/** For all requests of a route together, of the process's own time: a loaded machine has no part in it. */
const limitMs = 5_000

beforeAll(async () => {
  console.log(`fuzz: TUTTI_TEST_SEED=${seed}`)
  manager = await startTestManager({ waitMs: 50 })
  await addUser(manager.db, 'fuzzer', { role: 'sys_admin' })
  const made = await manager.inject('POST', '/tokens', { user: 'fuzzer', tenant: null, body: {} })
  cookieToken = made.body.value
  await addTenant(manager.db, 'lab')
  await addDeployment(manager.db, 'dep', {
    blueprintId: 'bp',
    nodes: [{ id: 'node', instances: [{ id: 'instance' }] }],
  })
  await addExecution(manager.db, { deploymentId: 'dep', status: 'terminated' })
  // As a manager that serves: what it remembers of users it forgets when somebody changes them.
  const { directory } = manager.services
  listener = listen(manager.connection, directory.onNotification, directory.onListening)
})
afterAll(async () => {
  await listener.close()
  await manager.close()
})

/** They would keep the others from being asked: nobody gets in any more, or everybody is told to wait. */
const left = new Set(['maintenance.activate', 'config.set', 'permissions.revoke'])

/** 500 is what these say when a part of the manager does not work, and here no process reports that it lives. */
const saysFail = new Set(['ok.get', 'clusterStatus.get'])

const strangeTexts = [
  '',
  ' ',
  '0',
  '-1',
  'null',
  'true',
  '[]',
  '{}',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '💥',
  '../../etc/passwd',
  '%00',
  '%',
  '\\',
  "' or 1=1 --",
  '"',
  '$1',
  '{{7*7}}',
  '<script>',
  'x'.repeat(300),
  'ä'.repeat(5_000),
  '1e999',
  'NaN',
  '9'.repeat(40),
  '2026-13-45',
  '2026-01-01T00:00:00Z',
  'id',
  '-id',
  'label:x',
  '*',
  ',,,',
  'Infinity',
  '__proto__',
  'constructor',
]
const known = [
  'bp',
  'dep',
  'node',
  'instance',
  'lab',
  'default_tenant',
  'install',
  'new-one',
  'viewer',
  'sys_admin',
]
/** What `fc.string({ unit: 'binary' })` is made of, which first makes a table of all of them: 3 s. */
const codePoint = fc.integer({ min: 0, max: 0x10_ffff }).filter((point) => point < 0xd800 || point > 0xdfff)
const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...known) },
  { weight: 3, arbitrary: fc.constantFrom(...strangeTexts) },
  {
    weight: 1,
    arbitrary: fc.array(codePoint, { maxLength: 20 }).map((points) => String.fromCodePoint(...points)),
  },
)
const anything = fc.oneof(
  text,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom([], {}, [[]], [null], { '': '' }, [{ a: 1 }], { a: { b: [] } }, 2 ** 53, -(2 ** 63)),
)

/** Mostly what the schema says, sometimes something else. */
function valueFor(schema: TSchema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 5, arbitrary: fittingValue(schema) }, { weight: 1, arbitrary: anything })
}

function fittingValue(schema: TSchema): fc.Arbitrary<unknown> {
  if (IsLiteral(schema)) return fc.constant(schema.const)
  if (IsNull(schema)) return fc.constant(null)
  if (IsUnion(schema)) return fc.oneof(...schema.anyOf.map(valueFor))
  if (IsArray(schema)) return fc.array(valueFor(schema.items), { maxLength: 3 })
  if (IsString(schema)) return text
  if (IsInteger(schema)) return fc.oneof(fc.integer({ min: -2, max: 10 }), fc.integer())
  if (IsBoolean(schema)) return fc.boolean()
  if (!IsObject(schema)) return anything
  const fields = Object.fromEntries(
    Object.entries(schema.properties).map(([name, field]) => [name, valueFor(field)]),
  )
  const more = fc.constantFrom({}, {}, {}, { unknown: 1 }, { constructor: {} }, { id: 'x' })
  return fc
    .tuple(fc.record(fields, { requiredKeys: [] }), more)
    .map(([body, others]) => ({ ...body, ...others }))
}

const listQuery = {
  _include: text,
  _sort: text,
  _size: fc.oneof(text, fc.integer({ min: -5, max: 5 })),
  _offset: fc.oneof(text, fc.integer({ min: -5, max: 5 })),
  _range: fc.oneof(
    text,
    fc.constantFrom('created_at,,', 'created_at,2020-01-01,', 'a,b', ',,,', 'created_at,x,y'),
  ),
  _search: text,
  _all_tenants: fc.oneof(fc.boolean(), text),
  _get_all_results: fc.oneof(fc.boolean(), text),
  id: text,
  created_at: text,
}

function requestTo(version: string, route: Route) {
  const pathParts = route.path.split('/').map((part) => {
    if (!part.startsWith(':') && part !== '*') return fc.constant(part)
    return text.map((value) => encodeURIComponent(value.toWellFormed()))
  })
  const own = Object.fromEntries(
    Object.entries(route.query?.properties ?? {}).map(([name, schema]) => [
      name,
      fc.oneof(text, valueFor(schema)),
    ]),
  )
  const query = fc.record({ ...(route.list === undefined ? {} : listQuery), ...own }, { requiredKeys: [] })
  const body =
    route.body === undefined || route.body === 'archive'
      ? fc.constantFrom(undefined, '', '{}', 'PK\u0003\u0004', '[]')
      : fc.oneof(
          { weight: 9, arbitrary: valueFor(route.body).map((value) => JSON.stringify(value)) },
          { weight: 1, arbitrary: fc.constantFrom('', '{', 'null', '[]', '"x"', '{"a":'.repeat(2_000)) },
        )
  return fc.record({
    path: fc
      .tuple(...pathParts)
      .map((parts) => (route.base === 'root' ? '' : `/api/${version}`) + parts.join('/')),
    query,
    body,
    tenant: fc.constantFrom('default_tenant', 'default_tenant', 'default_tenant', 'lab', 'nowhere', '', 'ä'),
  })
}

function queryText(query: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      parameters.append(name, typeof one === 'string' ? one.toWellFormed() : String(JSON.stringify(one)))
    }
  }
  return parameters.toString()
}

describe.each(apiVersions)('%s', (version) => {
  const served = routesOf(version).filter(({ name }) => Object.hasOwn(builtRoutes, name) && !left.has(name))

  test.each(served.map(({ name, route }) => [name, route] as const))('%s', async (name, route) => {
    const requests = fc.sample(requestTo(version, route), { numRuns: requestsPerRoute, seed })
    const started = process.cpuUsage()
    let slowest = { ms: 0, what: '' }
    for (const { path, query, body, tenant } of requests) {
      const url = `${path}?${queryText(query)}`
      const sentAt = performance.now()
      const answer = await manager.app.inject({
        method: route.method,
        url,
        headers: {
          ...headersOf({ user: 'fuzzer', tenant: null }),
          tenant: encodeURIComponent(tenant),
          cookie: `${tokenCookie}=${cookieToken}`,
          'x-original-uri': encodeURI(`/resources/${tenant}/${body}`),
        },
        ...(body !== undefined && { payload: body }),
      })
      const what = `${route.method} ${url}\n${body}\n→ ${answer.statusCode} ${answer.body.slice(0, 2_000)}`
      const ms = performance.now() - sentAt
      if (ms > slowest.ms) slowest = { ms, what }
      if (saysFail.has(name)) continue
      expect(answer.statusCode, what).not.toBe(500)
      expect(answer.statusCode, what).not.toBe(401)
      if (answer.statusCode < 400) continue
      expect(answer.json(), what).toMatchObject({
        message: expect.any(String),
        error_code: expect.any(String),
      })
      expect(answer.body, what).not.toMatch(
        /select |insert into|update .* set |node_modules|\/packages\/|\.ts:\d/i,
      )
    }
    const { user, system } = process.cpuUsage(started)
    expect((user + system) / 1000, `the slowest took ${slowest.ms} ms: ${slowest.what}`).toBeLessThan(limitMs)
    // Nothing of that was held against the one who asked, or everybody.
    expect((await manager.inject('GET', '/user', { user: 'fuzzer' })).status).toBe(200)
  })
})

test('what was written is whole: it can be read and listed', async () => {
  for (const { name, route } of routesOf('v3.1')) {
    if (route.list === undefined || route.method !== 'GET' || !Object.hasOwn(builtRoutes, name)) continue
    if (route.path.includes(':')) continue
    const { status, text: body } = await manager.inject('GET', route.path)
    expect([200, 400], `${route.path}: ${body}`).toContain(status)
  }
})
