import type { RequestListener } from 'node:http'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { builtInMapping } from '@tutti/engine'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { addDeployment, addUser } from '../../../test/fixtures.ts'
import { passwordOf, startTestManager, type TestManager } from '../../../test/test-manager.ts'
import { authority, startServer, type TestServer, vaultAnswers, vaultToken } from '../../../test/vault.ts'

let manager: TestManager
let other: TestManager
let vault: TestServer
let otherHost: string
const servers: TestServer[] = []

const large = 'x'.repeat(1024 * 1024)

beforeAll(async () => {
  ;[manager, other] = await Promise.all([startTestManager(), startTestManager()])
  await addUser(manager.db, 'alice', { tenants: { 0: 'user' } })
  await addUser(manager.db, 'bob', { tenants: { 0: 'user' } })
  await addUser(other.db, 'reader', { tenants: { 0: 'user' } })
  await addUser(other.db, 'stranger')
  await addDeployment(manager.db, 'app')
  otherHost = await other.app.listen({ host: '127.0.0.1', port: 0 })
  vault = await serve(
    vaultAnswers({
      'kv/': { type: 'kv', version: '1', values: { app: { password: 'old style' } } },
      'secret/': {
        type: 'kv',
        version: '2',
        values: {
          app: { password: 'deep', json: { a: [1] }, number: 7, nothing: null },
          'team/ä b': { password: 'of the team' },
          locked: null,
          large: { password: large },
        },
      },
      'database/': { type: 'database', values: { 'creds/app': { password: 'made for you' } } },
      'auth/token/': { type: 'token', values: { 'lookup-self': { id: vaultToken } } },
    }),
  )
})
afterAll(() => Promise.all([...servers, manager, other].map((one) => one.close())))

async function serve(answer: RequestListener, options: { readonly secure?: boolean } = {}) {
  const server = await startServer(answer, options)
  servers.push(server)
  return server
}

type Parameters = Readonly<Record<string, unknown>>

let next = 0
const named = () => `name${next++}`
const at = ({ port }: TestServer) => `http://127.0.0.1:${port}`
const toVault = (more: Parameters = {}): Parameters => ({
  url: at(vault),
  token: vaultToken,
  path: 'secret/app',
  ...more,
})
const toOther = (more: Parameters = {}): Parameters => ({
  host: otherHost,
  username: 'reader',
  password: passwordOf('reader'),
  tenant: 'default_tenant',
  ...more,
})

async function addProvider(type: string, parameters: Parameters): Promise<string> {
  const name = named()
  const body = { name, type, connection_parameters: parameters }
  expect((await manager.inject('PUT', '/secrets-providers', { body })).status).toBe(200)
  return name
}

/** What alice gets of a new secret that the provider keeps. */
async function read(provider: string, secret: Parameters & { readonly key?: string } = {}) {
  const { key = named(), ...body } = secret
  const made = await manager.inject('PUT', `/secrets/${key}`, {
    body: { value: '', provider_name: provider, ...body },
  })
  expect(made.status).toBe(200)
  const answer = await manager.inject('GET', `/secrets/${key}`, { user: 'alice' })
  await manager.inject('DELETE', `/secrets/${key}`)
  return answer
}

const tested = (body: Parameters) =>
  manager.inject('PUT', '/secrets-providers', { body: { ...body, test: true }, user: 'alice' })

test.each<[string, Parameters, string, unknown]>([
  ['of version 2', {}, 'password', 'deep'],
  ['of version 2, by the path of its API', { path: 'secret/data/app' }, 'password', 'deep'],
  ['of version 1', { path: '/kv/app/' }, 'password', 'old style'],
  ['at a path that needs encoding', { path: 'secret/team/ä b' }, 'password', 'of the team'],
  ['that is JSON', {}, 'json', '{"a":[1]}'],
  ['that is a number', {}, 'number', '7'],
])('a value of Vault %s is read', async (_what, parameters, key, value) => {
  const provider = await addProvider('vault', toVault(parameters))
  expect((await read(provider, { key })).body).toMatchObject({ key, value, provider_name: provider })
})

test("a secret's own path goes before its provider's", async () => {
  const options = { key: 'password', provider_options: { path: 'kv/app' } }
  expect((await read(await addProvider('vault', toVault()), options)).body.value).toBe('old style')
  const without = await addProvider('vault', toVault({ path: undefined }))
  expect((await read(without, options)).body.value).toBe('old style')
})

test('a value of another manager is read, under the same name or another', async () => {
  const provider = await addProvider('cloudify', toOther())
  await other.inject('PUT', '/secrets/theirs', { body: { value: 'from there' } })
  expect((await read(provider, { key: 'theirs' })).body.value).toBe('from there')
  expect((await read(provider, { provider_options: { name: 'theirs' } })).body.value).toBe('from there')
  await other.inject('PUT', '/secrets/shaped', {
    body: { value: { a: 1 }, schema: { type: 'object' } },
  })
  expect((await read(provider, { key: 'shaped' })).body.value).toBe('{"a":1}')
})

test('managers that ask each other for one secret come to an end', async () => {
  const own = await manager.app.listen({ host: '127.0.0.1', port: 0 })
  await addUser(manager.db, 'reader', { tenants: { 0: 'user' } })
  const connection_parameters = toOther({ host: own })
  const back = { name: 'back', type: 'cloudify', connection_parameters }
  await other.inject('PUT', '/secrets-providers', { body: back })
  await other.inject('PUT', '/secrets/round', { body: { value: '', provider_name: 'back' } })
  const there = await addProvider('cloudify', toOther())
  expect(await read(there, { key: 'round' })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('does not give its secrets: it answered with status 400') },
  })
  expect((await read(await addProvider('cloudify', connection_parameters), { key: 'self' })).status).toBe(400)
})

test('a provider that is stored is tested by its name, whatever else is sent empty', async () => {
  const name = await addProvider('vault', toVault())
  for (const more of [{}, { type: '' }, { type: null }, { type: '', connection_parameters: null }]) {
    expect((await tested({ name, ...more })).status).toBe(204)
  }
  expect((await tested({ name: 'unknown', type: '' })).status).toBe(404)
  expect((await tested({ type: '' })).body.message).toBe('Missing name in json request body')
  expect((await manager.inject('PUT', '/secrets-providers', { body: { name: 'x', type: '' } })).status).toBe(
    400,
  )
})

test('nothing is remembered: the next answer shows what has changed there', async () => {
  const provider = await addProvider('cloudify', toOther())
  for (const value of ['one', 'two']) {
    await other.inject('PUT', '/secrets/changing', { body: { value, update_if_exists: true } })
    expect((await read(provider, { key: 'changing' })).body.value).toBe(value)
  }
})

test('functions read such secrets, once in each request', async () => {
  const asked: string[] = []
  const answer = vaultAnswers({
    'kv/': { type: 'kv', version: '1', values: { app: { shared: '{"a": "deep"}' } } },
  })
  const counting = await serve((request, response) => {
    asked.push(request.url ?? '')
    answer(request, response)
  })
  const provider = await addProvider('vault', toVault({ url: at(counting), path: 'kv/app' }))
  const body = { value: '', provider_name: provider, is_hidden_value: true }
  await manager.inject('PUT', '/secrets/shared', { body })
  const payload = { a: { get_secret: ['shared', 'a'] }, b: { get_secret: 'shared' } }
  const evaluate = () =>
    manager.inject('POST', '/evaluate/functions', { body: { deployment_id: 'app', payload } })
  expect((await evaluate()).body.payload).toEqual({ a: 'deep', b: '{"a": "deep"}' })
  expect(asked).toEqual(['/v1/sys/internal/ui/mounts/kv/app', '/v1/kv/app'])

  // What is hidden is not even asked for.
  expect((await manager.inject('GET', '/secrets/shared', { user: 'bob' })).body.value).toBe('')
  expect((await manager.inject('GET', '/secrets/shared?_skip_value=true')).body.value).toBe('')
  expect((await manager.inject('GET', '/secrets/shared?_include=key')).body).toEqual({ key: 'shared' })
  expect(asked).toHaveLength(2)

  await counting.close()
  expect(await evaluate()).toMatchObject({
    status: 424,
    body: { error_code: 'secrets_provider_unavailable_error' },
  })
})

test('what an execution reads there is read before its deployment is locked', async () => {
  const asked: string[] = []
  const answer = vaultAnswers({
    'kv/': { type: 'kv', version: '1', values: { app: { name: 'second', second: 'deep', third: 'wide' } } },
  })
  const watching = await serve(async (request, response) => {
    asked.push(request.url ?? '')
    // Shared: several of these requests come at once, and must not find each other's lock.
    const free = await sql`select from deployments where id = 'app' for share skip locked`.execute(manager.db)
    if (free.rows.length > 0) answer(request, response)
    else response.writeHead(500).end()
  })
  const provider = await addProvider('vault', toVault({ url: at(watching), path: 'kv/app' }))
  for (const key of ['name', 'second', 'third']) {
    await manager.inject('PUT', `/secrets/${key}`, { body: { value: '', provider_name: provider } })
  }
  const workflow = { ...builtInMapping('execute_operation'), parameters: {}, availability_rules: null }
  await manager.db
    .updateTable('deployments')
    .set({ workflows: JSON.stringify({ probe: workflow }) })
    .where('id', '=', 'app')
    .execute()
  const start = (parameters: Parameters) =>
    manager.inject('POST', '/executions', {
      body: {
        deployment_id: 'app',
        workflow_id: 'probe',
        parameters,
        allow_custom_parameters: true,
        force: true,
      },
    })
  const named = { get_secret: { get_secret: 'name' } }
  const started = await start({ named, listed: [{ get_secret: 'third' }, { get_secret: 'third' }] })
  expect(started).toMatchObject({
    status: 201,
    body: { parameters: { named: 'deep', listed: ['wide', 'wide'] } },
  })
  // Each is asked for once, with a request that tells what kind of path it is.
  expect(asked).toHaveLength(6)

  const count = async () => (await manager.inject('GET', '/executions')).body.metadata.pagination.total
  const before = await count()
  await watching.close()
  expect(await start({ listed: [{ get_secret: 'third' }] })).toMatchObject({
    status: 424,
    body: { error_code: 'secrets_provider_unavailable_error' },
  })
  expect(await count()).toBe(before)
})

test('a value is what its schema says, and an error when it does not fit', async () => {
  const provider = await addProvider('vault', toVault())
  const schema = { type: 'object', required: ['a'] }
  expect((await read(provider, { key: 'json', schema })).body.value).toEqual({ a: [1] })
  expect((await read(provider, { key: 'password', schema: { type: 'string' } })).body.value).toBe('deep')
  const unfit = await read(provider, { key: 'password', schema })
  expect(unfit).toMatchObject({ status: 409, body: { error_code: 'conflict_error' } })
  expect(unfit.text).not.toContain('deep')
})

const secrets = [vaultToken, 'wrong-token', 'wrong-password', passwordOf('reader'), passwordOf('stranger')]

test.each<[string, string, () => Parameters, Parameters, string]>([
  ['no url', 'vault', () => toVault({ url: null }), {}, 'has no connection parameter url'],
  ['a url that is none', 'vault', () => toVault({ url: 'vault' }), {}, 'url is not an address'],
  ['a url of a file', 'vault', () => toVault({ url: 'file:///x' }), {}, 'url is no http or https address'],
  [
    'a password in the url',
    'vault',
    () => toVault({ url: 'http://me:wrong-password@127.0.0.1' }),
    {},
    'url holds a user name or a password',
  ],
  ['no token', 'vault', () => toVault({ token: '' }), {}, 'has no connection parameter token'],
  ['a token that is no text', 'vault', () => toVault({ token: 7 }), {}, 'token is not a text'],
  [
    'a token with a line break',
    'vault',
    () => toVault({ token: 'wrong-token\r\nx: y' }),
    {},
    'token holds other characters than visible ASCII ones',
  ],
  ['a wrong token', 'vault', () => toVault({ token: 'wrong-token' }), {}, 'refuses the token'],
  ['no path', 'vault', () => toVault({ path: null }), {}, 'neither the provider nor the secret says'],
  ['an unknown path', 'vault', () => toVault({ path: 'secret/none' }), {}, 'nothing at the path secret/none'],
  ['a locked path', 'vault', () => toVault({ path: 'secret/locked' }), {}, 'may not read secret/locked'],
  ['a path of dots', 'vault', () => toVault(), { path: 'secret/../auth' }, 'it is no path in Vault'],
  ['a path that is no text', 'vault', () => toVault(), { path: [] }, 'option path is not a text'],
  ['a path to the token', 'vault', () => toVault(), { path: 'auth/token/lookup-self' }, 'not in a key-value'],
  [
    'a path of accounts',
    'vault',
    () => toVault(),
    { path: 'database/creds/app' },
    'not in a key-value engine',
  ],
  ['no such entry', 'vault', () => toVault(), {}, 'there is no entry of that name'],
  ['no answer of Vault', 'vault', () => toVault({ url: otherHost }), {}, 'has nothing at the path'],
  ['no tenant', 'cloudify', () => toOther({ tenant: undefined }), {}, 'has no connection parameter tenant'],
  [
    'a wrong password',
    'cloudify',
    () => toOther({ password: 'wrong-password' }),
    {},
    'refuses the user name',
  ],
  [
    'a user without rights',
    'cloudify',
    () => toOther({ username: 'stranger', password: passwordOf('stranger') }),
    {},
    'does not let its user read secrets',
  ],
  ['no such secret', 'cloudify', () => toOther(), { name: 'nowhere' }, 'has no secret nowhere'],
  ['another resource', 'cloudify', () => toOther(), { name: '..' }, 'must begin with a letter'],
  ['a hidden secret', 'cloudify', () => toOther(), { name: 'hidden' }, 'does not show its user the value'],
  ['no answer of a manager', 'cloudify', () => toOther({ host: at(vault) }), {}, 'status 403'],
])('reading says what is wrong: %s', async (_what, type, parameters, options, why) => {
  await other.inject('PUT', '/secrets/hidden', {
    body: { value: 'deep', is_hidden_value: true, update_if_exists: true },
  })
  const answer = await read(await addProvider(type, parameters()), { key: 'some', provider_options: options })
  expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(why) } })
  for (const secret of secrets) expect(answer.text).not.toContain(secret)
})

test.each<[string, RequestListener, string]>([
  ['fails', (_request, response) => response.writeHead(503).end('sealed'), 'answered with status 503'],
  [
    'redirects',
    (_request, response) => response.writeHead(307, { location: `${at(vault)}/v1/secret/data/app` }).end(),
    'redirects are not followed',
  ],
  ['breaks off', (request) => request.socket.destroy(), 'cannot be fetched'],
  [
    'breaks off in the middle',
    (request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{')
      setImmediate(() => request.socket.destroy())
    },
    'cannot be fetched',
  ],
  [
    'says too much',
    (_request, response) => response.end(`"${large}"`),
    'larger than the allowed 1048576 bytes',
  ],
])('a provider that %s is an error that says so, for reading and for testing', async (_what, answer, why) => {
  const server = await serve(answer)
  for (const [type, parameters] of [
    ['vault', toVault({ url: at(server) })],
    ['cloudify', toOther({ host: at(server) })],
  ] as const) {
    const name = await addProvider(type, parameters)
    const reading = await read(name)
    expect(reading).toMatchObject({
      status: 424,
      body: { error_code: 'secrets_provider_unavailable_error', message: expect.stringContaining(why) },
    })
    expect(reading.body.message).toContain(`The secrets provider ${name} (${type}) cannot be asked`)
    const testing = await tested({ name })
    expect(testing).toMatchObject({
      status: 400,
      body: { error_code: 'secrets_provider_error', message: expect.stringContaining(why) },
    })
    for (const secret of secrets) expect(reading.text + testing.text).not.toContain(secret)
  }
})

test.each<[string, RequestListener]>([
  ['does not answer', () => {}],
  ['does not come to an end', (_request, response) => void response.writeHead(200).write('{')],
])('a provider that %s is waited for 10 seconds', async (_what, answer) => {
  const server = await serve(answer)
  const timeout = AbortSignal.timeout
  const waited = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout.call(AbortSignal, 50))
  try {
    expect(await read(await addProvider('vault', toVault({ url: at(server) })))).toMatchObject({
      status: 424,
      body: { message: expect.stringContaining('timeout') },
    })
    expect(waited.mock.calls).toEqual([[10_000]])
  } finally {
    waited.mockRestore()
  }
})

test('a provider can be tested before and after it is made', async () => {
  for (const [type, parameters] of [
    ['vault', toVault()],
    ['vault', toVault({ path: undefined })],
    ['cloudify', toOther()],
    ['local', {}],
  ] as const) {
    expect((await tested({ type, connection_parameters: parameters })).status).toBe(204)
    expect((await tested({ name: await addProvider(type, parameters) })).status).toBe(204)
  }
  const wrong = { type: 'vault', connection_parameters: toVault({ token: 'wrong-token' }) }
  expect(await tested(wrong)).toMatchObject({
    status: 400,
    body: {
      error_code: 'secrets_provider_error',
      message: expect.stringContaining('The secrets provider of type vault refuses the token'),
    },
  })
  expect((await tested({ type: 'cloudify' })).body.message).toContain('has no connection parameter host')
  expect((await tested({ name: 'nowhere' })).status).toBe(404)
  expect((await tested({})).body.message).toContain('Missing name')
  const off = { type: 'vault', connection_parameters: toVault({ path: 'database/creds/app' }) }
  expect((await tested(off)).body.message).toContain('not in a key-value engine')
})

test('a stored token is never sent to an address that a test gives', async () => {
  const tokens: unknown[] = []
  const thief = await serve((request, response) => {
    tokens.push(request.headers['x-vault-token'])
    response.writeHead(404).end()
  })
  const name = await addProvider('vault', toVault())
  for (const body of [{ name }, { name, type: 'vault' }]) {
    const answer = await tested({ ...body, connection_parameters: { url: at(thief) } })
    expect(answer.body.message).toContain('has no connection parameter token')
  }
  expect(tokens).toEqual([])
})

test('private addresses and hosts are refused by the settings', async () => {
  const closed = await startTestManager({ allowPrivateAddresses: false })
  const given = closed.services.settings
  const tried = (url: string, more = {}) => {
    Object.assign(closed.services, { settings: { ...given, ...more } })
    return closed.inject('PUT', '/secrets-providers', {
      body: { type: 'vault', test: true, connection_parameters: toVault({ url }) },
    })
  }
  try {
    for (const url of [at(vault), 'http://localhost', 'http://169.254.169.254', 'http://[::ffff:10.0.0.1]']) {
      expect(await tried(url)).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining('not allowed (TUTTI_ALLOW_PRIVATE_SECRETS_PROVIDERS)') },
      })
    }
    const name = 'private'
    await closed.inject('PUT', '/secrets-providers', {
      body: { name, type: 'vault', connection_parameters: toVault() },
    })
    await closed.inject('PUT', '/secrets/one', { body: { value: '', provider_name: name } })
    expect(await closed.inject('GET', '/secrets/one')).toMatchObject({
      status: 400,
      body: { error_code: 'secrets_provider_error' },
    })
    expect((await tried(at(vault), { allowPrivateSecretsProviders: true })).status).toBe(204)
    const elsewhere = { allowPrivateSecretsProviders: true, allowedHosts: ['vault.example.org'] }
    expect((await tried(at(vault), elsewhere)).body.message).toContain('TUTTI_ALLOWED_HOSTS')
  } finally {
    await closed.close()
  }
})

test('over TLS the certificate has to be for that host and of an authority that is trusted', async () => {
  const answer = vaultAnswers({ 'secret/': { type: 'kv', version: '2', values: { app: { some: 'deep' } } } })
  const { port } = await serve(answer, { secure: true })
  const tried = (host: string) =>
    tested({ type: 'vault', connection_parameters: toVault({ url: `https://${host}:${port}` }) })
  expect(await tried('localhost')).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('unable to') },
  })
  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, authority()])
  try {
    expect((await tried('localhost')).status).toBe(204)
    expect((await tried('127.0.0.1')).body.message).toContain("does not match certificate's altnames")
    // A manager's host without a scheme is asked over TLS.
    const host = { type: 'cloudify', connection_parameters: toOther({ host: `localhost:${port}` }) }
    expect((await tested(host)).body.message).toContain('status 403')
  } finally {
    setDefaultCACertificates(trusted)
  }
})
