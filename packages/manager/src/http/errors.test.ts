import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { builtInMapping } from '@tutti/engine'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDeployment, addUser } from '../../test/fixtures.ts'
import { passwordOf, startTestManager, type TestManager } from '../../test/test-manager.ts'

let manager: TestManager
let port: number

beforeAll(async () => {
  manager = await startTestManager({ maxBodyBytes: 1_000_000 })
  await addUser(manager.db, 'alice', { tenants: { 0: 'user' } })
  await addUser(manager.db, 'nobody')
  await addDeployment(manager.db, 'd')
  await manager.db
    .updateTable('deployments')
    .set({
      workflows: JSON.stringify({
        install: { ...builtInMapping('install'), parameters: {}, availability_rules: null },
      }),
    })
    .execute()
  port = Number(new URL(await manager.app.listen({ host: '127.0.0.1', port: 0 })).port)
})
afterAll(() => manager.close())

const basic = (user: string, password = passwordOf(user)) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
const own = { authorization: basic('admin'), tenant: 'default_tenant' }

type Answer = {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly text: string
}

function send(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = own,
  body?: string | Buffer,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ port, method, path, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      )
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** The API's shape, and nothing of our inside. */
function checkError(answer: Answer, status: number, code: string, message: string): void {
  expect({ status: answer.status, text: answer.text }).toEqual({ status, text: expect.stringMatching(/^\{/) })
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  const body = JSON.parse(answer.text)
  expect(body).toMatchObject({
    error_code: code,
    message: expect.stringContaining(message),
    server_traceback: null,
  })
  expect(answer.text).not.toMatch(/select |insert into|\/work|node_modules|\.ts\b|at \w+ \(/i)
}

const json = { ...own, 'content-type': 'application/json' }
const api = '/api/v3.1'
const bad = 'bad_parameters_error'

test.each<
  [string, string, string, Readonly<Record<string, string>>, string | undefined, number, string, string]
>([
  [
    'an unknown endpoint',
    'GET',
    `${api}/nothing`,
    own,
    undefined,
    404,
    'not_found_error',
    'There is no endpoint GET',
  ],
  ['an unknown path', 'GET', '/nothing', own, undefined, 404, 'not_found_error', 'There is no endpoint'],
  [
    'an endpoint without version',
    'GET',
    '/api/blueprints',
    own,
    undefined,
    404,
    'not_found_error',
    'no endpoint',
  ],
  [
    'a wrong method',
    'PUT',
    `${api}/executions`,
    json,
    '{}',
    405,
    'method_not_allowed_error',
    'Allowed: GET, POST, DELETE',
  ],
  [
    'a wrong method of one',
    'PUT',
    `${api}/executions/x`,
    json,
    '{}',
    405,
    'method_not_allowed_error',
    'Allowed: GET, POST, PATCH',
  ],
  [
    'a method of nothing',
    'OPTIONS',
    `${api}/blueprints`,
    own,
    undefined,
    405,
    'method_not_allowed_error',
    'Allowed: GET',
  ],
  ['malformed JSON', 'POST', `${api}/executions`, json, '{"a":', 400, bad, 'not valid JSON'],
  [
    'JSON that is a list',
    'POST',
    `${api}/executions`,
    json,
    '[]',
    400,
    bad,
    'of type dict but is of type list',
  ],
  [
    'JSON that is a text',
    'POST',
    `${api}/executions`,
    json,
    '"x"',
    400,
    bad,
    'of type dict but is of type str',
  ],
  [
    'JSON that is null',
    'POST',
    `${api}/executions`,
    json,
    'null',
    400,
    bad,
    'Missing deployment_id in json request body',
  ],
  ['no body', 'POST', `${api}/executions`, json, undefined, 400, bad, 'Missing deployment_id'],
  ['bytes that are no UTF-8', 'POST', `${api}/executions`, json, '\udc80{', 400, bad, 'not valid JSON'],
  [
    'nesting without end',
    'POST',
    `${api}/executions`,
    json,
    `{"deployment_id":"d","workflow_id":"install","parameters":${nested(100_000)}}`,
    400,
    bad,
    'nested',
  ],
  [
    'another content type',
    'POST',
    `${api}/executions`,
    { ...own, 'content-type': 'text/plain' },
    '{}',
    415,
    'unsupported_content_type_error',
    'text/plain',
  ],
  [
    'a form',
    'PUT',
    `${api}/deployments/x`,
    { ...own, 'content-type': 'application/x-www-form-urlencoded' },
    'a=b',
    415,
    'unsupported_content_type_error',
    'must be application/json',
  ],
  [
    'no content type',
    'POST',
    `${api}/executions`,
    own,
    '{}',
    415,
    'unsupported_content_type_error',
    'got none',
  ],
  [
    'no real content type',
    'POST',
    `${api}/executions`,
    { ...own, 'content-type': 'x' },
    '{}',
    415,
    'unsupported_content_type_error',
    'got x',
  ],
  [
    'a type with a charset and a field missing',
    'POST',
    `${api}/executions`,
    { ...own, 'content-type': 'application/json; charset=utf-8' },
    '{}',
    400,
    bad,
    'Missing deployment_id',
  ],
  [
    'a field of another type',
    'POST',
    `${api}/executions`,
    json,
    start({ deployment_id: 1 }),
    400,
    bad,
    'deployment_id parameter is expected to be of type str but is of type int',
  ],
  [
    'a null where a text must be',
    'POST',
    `${api}/executions`,
    json,
    start({ workflow_id: null }),
    400,
    bad,
    'workflow_id parameter is expected to be of type str but is of type NoneType',
  ],
  [
    'a bad flag',
    'POST',
    `${api}/executions`,
    json,
    start({ force: 'yes' }),
    400,
    bad,
    'force must be <true/false>, got yes',
  ],
  [
    'a number beyond all',
    'POST',
    `${api}/executions`,
    json,
    start({ deployment_id: 'd', wait_after_fail: 99999999999 }),
    400,
    bad,
    '',
  ],
  [
    'a filter beyond all',
    'GET',
    `${api}/executions?total_operations=99999999999`,
    own,
    undefined,
    400,
    bad,
    '',
  ],
  ['a NUL in the path', 'GET', `${api}/deployments/%00`, own, undefined, 400, bad, 'NUL'],
  ['a NUL in the body', 'POST', `${api}/executions`, json, start({ deployment_id: '\0' }), 400, bad, 'NUL'],
  ['a path that is no text', 'GET', `${api}/deployments/%zz`, own, undefined, 400, bad, 'url component'],
  [
    'a long id',
    'GET',
    `${api}/deployments/${'x'.repeat(1_500)}`,
    own,
    undefined,
    404,
    'not_found_error',
    'x'.repeat(100),
  ],
  [
    'an id to create with a slash',
    'PUT',
    `${api}/deployments/a%2Fb`,
    json,
    '{"blueprint_id":"b"}',
    400,
    bad,
    'illegal characters',
  ],
  [
    'no credentials',
    'GET',
    `${api}/deployments`,
    { tenant: 'default_tenant' },
    undefined,
    401,
    'unauthorized_error',
    'User unauthorized: No authentication info provided',
  ],
  [
    'an unknown user',
    'GET',
    `${api}/deployments`,
    { ...own, authorization: basic('who') },
    undefined,
    401,
    'unauthorized_error',
    'Wrong credentials or locked account',
  ],
  [
    'a wrong password',
    'GET',
    `${api}/deployments`,
    { ...own, authorization: basic('alice', 'x') },
    undefined,
    401,
    'unauthorized_error',
    'Wrong credentials',
  ],
  [
    'credentials that are none',
    'GET',
    `${api}/deployments`,
    { ...own, authorization: 'Basic !' },
    undefined,
    401,
    'unauthorized_error',
    'No authentication info',
  ],
  [
    'a user name with a NUL',
    'GET',
    `${api}/deployments`,
    { ...own, authorization: basic('a\0') },
    undefined,
    401,
    'unauthorized_error',
    'Wrong credentials or locked account',
  ],
  [
    'a bad token',
    'GET',
    `${api}/deployments`,
    { tenant: 'default_tenant', 'authentication-token': 'x' },
    undefined,
    401,
    'unauthorized_error',
    'User unauthorized: Invalid token structure',
  ],
  [
    'a bad execution token',
    'GET',
    `${api}/deployments`,
    { tenant: 'default_tenant', 'execution-token': 'x' },
    undefined,
    401,
    'unauthorized_error',
    'invalid Execution Token',
  ],
  [
    'an unknown tenant',
    'GET',
    `${api}/deployments`,
    { ...own, tenant: 'x' },
    undefined,
    403,
    'forbidden_error',
    'invalid tenant name: x',
  ],
  [
    'no tenant',
    'GET',
    `${api}/deployments`,
    { authorization: own.authorization },
    undefined,
    403,
    'forbidden_error',
    'tenant not provided',
  ],
  [
    'an integer that is none to the database',
    'GET',
    `${api}/node-instances?version=${'9'.repeat(30)}`,
    own,
    undefined,
    400,
    bad,
    'version must be an integer',
  ],
  [
    'a parameter that is none to the database',
    'GET',
    `${api}/audit?size=${'9'.repeat(30)}`,
    own,
    undefined,
    400,
    bad,
    'the number is too large',
  ],
  [
    'a tenant without a role in it',
    'GET',
    `${api}/deployments`,
    { ...own, authorization: basic('nobody') },
    undefined,
    403,
    'forbidden_error',
    'User `nobody` is not permitted to perform the action deployment_list in the tenant `default_tenant`',
  ],
  [
    'what is not built',
    'GET',
    `${api}/plugins-updates`,
    own,
    undefined,
    501,
    'not_implemented',
    'has not built it yet',
  ],
])(
  '%s is an error in the shape of the API',
  async (_what, method, path, headers, body, status, code, message) => {
    checkError(await send(method, path, headers, body), status, code, message)
  },
)

function start(fields: object): string {
  return JSON.stringify({ deployment_id: 'x', workflow_id: 'install', ...fields })
}

function nested(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
}

test('a body that is too large is refused, and the connection goes on', async () => {
  const large = `{"a":"${'x'.repeat(2_000_000)}"}`
  checkError(
    await send('POST', `${api}/executions`, json, large),
    400,
    bad,
    'larger than the allowed 1000000 bytes',
  )
  expect((await send('GET', `${api}/deployments`)).status).toBe(200)
})

test('without a tenant only roles count that count everywhere', async () => {
  const { status, text } = await send('GET', `${api}/deployments`, { authorization: basic('nobody') })
  expect({ status, body: JSON.parse(text) }).toMatchObject({
    status: 403,
    body: {
      message: 'User `nobody` is not permitted to perform the action deployment_list',
      hint: expect.stringContaining('header Tenant'),
    },
  })
})

test('a 401 says how to authenticate, a 405 what is allowed', async () => {
  const denied = await send('GET', `${api}/deployments`, {})
  expect(denied.headers['www-authenticate']).toBe('Basic realm="Tutti"')
  expect((await send('PUT', `${api}/executions`, json, '{}')).headers.allow).toBe('GET, POST, DELETE')
})

/** What the server says to bytes that are no request of any client. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
}

test.each<[string, string, number, string]>([
  ['no HTTP', 'hello\r\n\r\n', 400, bad],
  ['endless headers', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`, 431, bad],
])('%s is answered too', async (_what, bytes, status, code) => {
  const [head = '', body = ''] = (await raw(bytes)).split('\r\n\r\n')
  expect(head).toContain(`HTTP/1.1 ${status} `)
  expect(head.toLowerCase()).toContain('content-type: application/json; charset=utf-8')
  expect(JSON.parse(body)).toMatchObject({ error_code: code, server_traceback: null })
})

test('every answer names its request, and errors of ours show nothing of the inside', async () => {
  const { db } = manager
  await db.schema.alterTable('blueprint_labels').renameTo('elsewhere').execute()
  try {
    const answer = await send('GET', `${api}/blueprints`)
    checkError(answer, 500, 'internal_server_error', 'Internal error occurred in manager REST server - ')
    expect(answer.headers['x-request-id']).toBeTruthy()
  } finally {
    await db.schema.alterTable('elsewhere').renameTo('blueprint_labels').execute()
  }
})
