import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintEntries, blueprintText, zipOf } from '../../../test/archives.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

let open: TestSystem
let closed: TestSystem
let limited: TestSystem
let server: Server
let base: string

const archive = blueprintArchive()
const imported = blueprintText({ node_types: { mine: { derived_from: 'cloudify.nodes.Root' } } })

/** A request that is answered when a test says so. */
const held = Promise.withResolvers<ServerResponse>()

/** What the server has; everything else is not found. */
const pages: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> = {
  '/bp.tar.gz': (_request, response) => response.end(archive),
  '/bp.zip': (_request, response) => response.end(zipOf(...blueprintEntries(blueprintText()))),
  '/no-name': (_request, response) => response.end(zipOf(...blueprintEntries(blueprintText()))),
  '/text': (_request, response) => response.end('no archive'),
  '/empty': (_request, response) => response.end(),
  '/large': (_request, response) => response.end(Buffer.alloc(10_000_001)),
  '/types.yaml': (_request, response) => response.end(imported),
  '/moved': (_request, response) => response.writeHead(302, { location: '/bp.tar.gz' }).end(),
  '/away': (_request, response) => response.writeHead(302, { location: 'http://127.0.0.2/bp.tar.gz' }).end(),
  '/file': (_request, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/round': (_request, response) => response.writeHead(302, { location: '/round' }).end(),
  '/held': (_request, response) => held.resolve(response),
  '/broken': (_request, response) => {
    response.writeHead(200, { 'content-length': '100000' }).write(archive)
    setImmediate(() => response.destroy())
  },
}

beforeAll(async () => {
  server = createServer((request, response) => {
    const page = pages[request.url ?? '']
    if (page === undefined) response.writeHead(404).end('nothing here')
    else page(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  open = await startTestSystem({ allowPrivateAddresses: true })
  closed = await startTestSystem({ allowPrivateAddresses: false })
  limited = await startTestSystem({ allowPrivateAddresses: true, allowedHosts: ['127.0.0.1'] })
})
afterAll(async () => {
  await Promise.all([open, closed, limited].map((system) => system.close()))
  server.close()
})

let next = 0
const newId = () => `bp${next++}`
const put = (system: TestSystem, id: string, url: string, more = '') =>
  system.send('PUT', `/blueprints/${id}?blueprint_archive_url=${encodeURIComponent(url)}${more}`)

test.each([
  ['/bp.tar.gz', 'tar.gz'],
  ['/bp.zip', 'zip'],
  ['/moved', 'tar.gz'],
  ['/no-name', 'zip'],
])('fetches the archive from %s', async (path, extension) => {
  const id = newId()
  const { status, body } = await put(open, id, base + path)
  expect({ status, message: body.message, state: body.state }).toEqual({ status: 201, state: 'uploaded' })
  const download = await open.inject('GET', `/blueprints/${id}/archive`)
  expect(download.headers['content-disposition']).toBe(`attachment; filename="${id}.${extension}"`)
})

test.each([
  ['not found', '/secret-less', 'answered with status 404'],
  ['no archive', '/text', ''],
  ['a host that is refused', undefined, ''],
])('of an address nobody is shown passwords and tokens: %s', async (_what, path, reason) => {
  const id = newId()
  const system = path === undefined ? closed : open
  const url = `${base.replace('http://', 'http://robot:pass-zq@')}${path ?? '/bp.zip'}?token=zq&more#zq`
  const failed = await put(system, id, url)
  expect(failed.status).toBe(400)
  expect(failed.text).toContain(reason)
  const shown = [
    failed.text,
    ...(await Promise.all(
      [
        `/blueprints/${id}`,
        '/blueprints?_get_all_results=true',
        '/executions?_include_system_workflows=true&_get_all_results=true',
        '/events?_get_all_results=true',
      ].map(async (list) => (await system.inject('GET', list)).text),
    )),
  ].join('')
  expect(shown).toContain(id)
  expect(shown).not.toMatch(/zq|robot/)
})

test.each([
  ['too long for a file', 'x'.repeat(5_000)],
  ['below a file', 'blueprint.yaml/x.yaml'],
])('a main file whose name is %s is not there, in our words', async (_what, name) => {
  const id = newId()
  const { status, body } = await put(open, id, `${base}/bp.zip`, `&application_file_name=${name}`)
  expect(status).toBe(400)
  expect(body.message).toContain('does not exist in the application directory')
  expect(body.message).not.toMatch(/ENAMETOOLONG|ENOTDIR|stat/)
})

test('takes the address in the params of a multipart body, and waits in state pending', async () => {
  const [id, form] = [newId(), new FormData()]
  form.set('params', JSON.stringify({ blueprint_archive_url: `${base}/bp.zip`, async_upload: true }))
  const { status, body } = await open.send('PUT', `/blueprints/${id}`, { body: form })
  expect(status).toBe(201)
  expect(['pending', 'uploading', 'extracting', 'parsing', 'uploaded']).toContain(body.state)
  expect(await open.ended(body.upload_execution.id)).toMatchObject({
    status: 'terminated',
    parameters: { url: `${base}/bp.zip` },
  })
})

test.each<[string, (at: string) => string, string]>([
  ['that answers an error', (at) => `${at}/nothing`, 'answered with status 404'],
  ['that is too large', (at) => `${at}/large`, 'larger than the allowed 10000000 bytes'],
  ['that breaks off', (at) => `${at}/broken`, 'cannot be fetched'],
  ['that holds no archive', (at) => `${at}/text`, 'neither a zip nor a tar'],
  ['that holds nothing', (at) => `${at}/empty`, 'empty'],
  ['that redirects to a file', (at) => `${at}/file`, 'only http and https'],
  ['that redirects for ever', (at) => `${at}/round`, 'redirects more than 5 times'],
  ['of a file', () => 'file:///etc/passwd', 'only http and https'],
  ['that is none', () => 'blueprint.tar.gz', 'is not an address'],
  ['of nobody', () => 'http://127.0.0.1:1/x', 'cannot be fetched'],
  ['of a host that does not exist', () => 'http://nowhere.invalid/x', 'cannot be resolved'],
])('says what is wrong with an address %s', async (_what, url, why) => {
  const id = newId()
  const answer = await put(open, id, url(base))
  expect(answer).toMatchObject({ status: 400, body: { error_code: 'invalid_blueprint_error' } })
  expect(answer.body.message).toMatch(/has failed uploading\. Error: /)
  expect(answer.body.message).toContain(why)
  expect((await open.inject('GET', `/blueprints/${id}`)).body).toMatchObject({ state: 'failed_uploading' })
})

test.each([
  'http://127.0.0.1/x',
  'http://localhost/x',
  'http://2130706433/x',
  'http://0/x',
  'http://10.1.2.3/x',
  'http://169.254.169.254/latest/meta-data',
  'http://[::1]/x',
  'http://[::ffff:127.0.0.1]/x',
  'http://[fe80::1]/x',
  'http://[fd00::1]/x',
  'http://[64:ff9b:1::7f00:1]/x',
  'http://[2002:7f00:1::]/x',
  'http://[::7f00:1]/x',
])('does not fetch from the private address %s unless that is allowed', async (url) => {
  const answer = await put(closed, newId(), url)
  expect(answer).toMatchObject({ status: 400, body: { error_code: 'invalid_blueprint_error' } })
  expect(answer.body.message).toMatch(
    /leads to the private address .* not allowed \(TUTTI_ALLOW_PRIVATE_ADDRESSES\)/,
  )
})

test('fetches from allowed hosts only, wherever these redirect to', async () => {
  expect((await put(limited, newId(), `${base}/bp.zip`)).status).toBe(201)
  for (const url of [`${base.replace('127.0.0.1', 'localhost')}/bp.zip`, `${base}/away`]) {
    const answer = await put(limited, newId(), url)
    expect(answer).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('is not among the allowed ones (TUTTI_ALLOWED_HOSTS)') },
    })
  }
})

test('imports of a blueprint are fetched by the same rules', async () => {
  const text = blueprintText({
    imports: [`${base}/types.yaml`],
    node_templates: { one: { type: 'mine' } },
  })
  await open.upload(newId(), blueprintArchive(text))
  const refused = await closed.send('PUT', `/blueprints/${newId()}`, { body: blueprintArchive(text) })
  expect(refused).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('private address') },
  })
  const nothing = blueprintText({ imports: [`${base}/nothing.yaml`] })
  expect(await open.send('PUT', `/blueprints/${newId()}`, { body: blueprintArchive(nothing) })).toMatchObject(
    {
      status: 400,
      body: { message: expect.stringContaining('answered with status 404') },
    },
  )
})

test('an upload that is cancelled while it is fetched has failed', async () => {
  const id = newId()
  const { body } = await put(open, id, `${base}/held`, '&async_upload=true')
  const response = await held.promise
  expect((await open.inject('GET', `/blueprints/${id}`)).body.state).toBe('uploading')
  const cancelled = await open.inject('POST', `/executions/${body.upload_execution.id}`, {
    body: { action: 'cancel' },
  })
  expect(cancelled.body.status).toBe('cancelling')
  response.end(archive)
  expect((await open.ended(body.upload_execution.id)).status).toBe('cancelled')
  expect((await open.inject('GET', `/blueprints/${id}`)).body).toMatchObject({
    state: 'failed_uploading',
    error: 'The upload was cancelled',
    plan: null,
  })
  await open.upload(id)
})
