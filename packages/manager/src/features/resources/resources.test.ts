import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeArchive } from '@tutti/storage'
import { create } from 'tar'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addBlueprint, addDeployment, addExecution, addTenant, addUser } from '../../../test/fixtures.ts'
import { headersOf, startTestManager, type TestManager } from '../../../test/test-manager.ts'

let manager: TestManager
let archiveSha256: string
let otherExecution: { token: string }

beforeAll(async () => {
  manager = await startTestManager()
  const { db } = manager
  archiveSha256 = await storeArchive({
    'blueprint.yaml': 'tosca',
    'scripts/start.sh': 'echo start',
    'scripts/sub/näme (1).txt': 'x',
  })
  const lab = await addTenant(db, 'lab')
  await addBlueprint(db, 'app', { archiveSha256 })
  await addBlueprint(db, 'mine', { archiveSha256, visibility: 'private', createdBy: 'alice' })
  await addBlueprint(db, 'shared', { archiveSha256, visibility: 'global' })
  await addDeployment(db, 'running', { blueprintId: 'app' })
  await addUser(db, 'alice', { tenants: { 0: 'user' } })
  await addUser(db, 'bob', { tenants: { 0: 'viewer' } })
  await addUser(db, 'carol', { tenants: { [lab]: 'user' } })
  otherExecution = await addExecution(db, { tenantId: lab, createdBy: 'carol' })
})
afterAll(() => manager.close())

async function storeArchive(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tutti-blueprint-'))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, 'top', name, '..'), { recursive: true })
    await writeFile(join(folder, 'top', name), content)
  }
  const bytes = create({ gzip: true, cwd: folder }, ['top']) as unknown as AsyncIterable<Uint8Array>
  const { sha256 } = await manager.db
    .transaction()
    .execute((transaction) => writeArchive(transaction, bytes, { maxBytes: 1_000_000 }))
  await rm(folder, { recursive: true })
  return sha256
}

const get = (path: string, user: string | null = 'admin') =>
  manager.inject('GET', `/resources/${path}`, { user, tenant: null })

test('serves a file of a blueprint and of its deployments as it is', async () => {
  for (const owner of ['blueprints/default_tenant/app', 'deployments/default_tenant/running']) {
    const answer = await get(`${owner}/scripts/start.sh`)
    expect(answer).toMatchObject({ status: 200, text: 'echo start' })
    expect(answer.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '10',
      'content-disposition': "attachment; filename*=UTF-8''start.sh",
    })
  }
  const named = await get(`blueprints/default_tenant/app/scripts/sub/${encodeURIComponent('näme (1).txt')}`)
  expect(named.text).toBe('x')
  expect(named.headers['content-disposition']).toBe("attachment; filename*=UTF-8''n%C3%A4me%20%281%29.txt")
})

test('serves the archive of a blueprint as it was uploaded', async () => {
  const folder = 'uploaded-blueprints/default_tenant/app'
  const answer = await get(`${folder}/app.tar.gz`)
  expect(answer.status).toBe(200)
  expect(answer.headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': "attachment; filename*=UTF-8''app.tar.gz",
  })
  const whole = await manager.inject('GET', '/blueprints/app/archive')
  expect(answer.text).toBe(whole.text)
  expect(answer.headers['content-length']).toBe(whole.headers['content-length'])
  expect((await get(folder)).body).toEqual({ files: ['app.tar.gz'] })
  expect((await get(`${folder}/app.zip`)).status).toBe(404)
  expect((await get(`${folder}/app.tar.gz/x`)).status).toBe(404)
  expect((await get('uploaded-blueprints/default_tenant/none/none.tar.gz')).status).toBe(404)
  expect((await get('uploaded-blueprints/default_tenant/mine/mine.tar.gz', 'bob')).status).toBe(404)
  expect((await get('uploaded-blueprints/default_tenant/mine/mine.tar.gz', 'alice')).status).toBe(200)
  expect((await get(`${folder}/app.tar.gz`, 'carol')).status).toBe(403)
  expect((await get('uploaded-blueprints/default_tenant/shared/shared.tar.gz', 'carol')).status).toBe(200)
  await manager.db
    .updateTable('blueprints')
    .set({ archive_extension: 'zip' })
    .where('id', '=', 'shared')
    .execute()
  for (const name of ['shared.zip', 'shared.tar.gz']) {
    expect((await get(`uploaded-blueprints/default_tenant/shared/${name}`)).status).toBe(200)
  }
})

test('answers the index of a folder', async () => {
  expect((await get('blueprints/default_tenant/app/scripts/')).body).toEqual({
    files: ['start.sh', 'sub/näme (1).txt'],
  })
  expect((await get('blueprints/default_tenant/app')).body.files).toContain('blueprint.yaml')
})

test("a deployment's own files go before its blueprint's", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tutti-deployment-'))
  await mkdir(join(folder, 'scripts'))
  await writeFile(join(folder, 'scripts', 'start.sh'), 'own', { mode: 0o000 })
  await writeFile(join(folder, 'scripts', 'state.json'), '{}')
  await symlink('/etc', join(folder, 'scripts', 'out'))
  await symlink('/etc/passwd', join(folder, 'passwd'))
  const packed = create({ gzip: true, cwd: folder }, ['.']) as unknown as AsyncIterable<Uint8Array>
  await manager.db.transaction().execute(async (transaction) => {
    const { sha256 } = await writeArchive(transaction, packed, { maxBytes: 1_000_000 })
    await transaction
      .insertInto('deployment_folders')
      .values({ tenant_id: 0, deployment_id: 'running', sha256 })
      .execute()
  })
  await rm(folder, { recursive: true })
  const path = 'deployments/default_tenant/running/scripts'
  expect((await get(`${path}/start.sh`)).text).toBe('own')
  expect((await get(`${path}/`)).body.files).toEqual(['start.sh', 'state.json', 'sub/näme (1).txt'])
  expect((await get(`${path}/out/passwd`)).status).toBe(404)
  expect((await get('deployments/default_tenant/running/passwd')).status).toBe(404)
})

test('nothing outside the folder is served', async () => {
  const owner = 'blueprints/default_tenant/app'
  // Plain `..` is resolved by clients before it is sent; encoded slashes hide it from them.
  for (const path of [
    '..%2fapp%2fblueprint.yaml',
    '%2e%2e%2f%2e%2e%2fx',
    'a%00b',
    'none',
    'blueprint.yaml/x',
  ]) {
    expect((await get(`${owner}/${path}`)).status, path).toBe(404)
  }
  const { body } = await get('spec/types.yaml', 'bob')
  expect((await get('cloudify_agent/agent.tar.gz', null)).status).toBe(404)
  expect((await get('spec/types.yaml', null)).status).toBe(401)
  expect(body).toMatchObject({ error_code: 'not_found_error' })
  expect((await get(`blueprints/default_tenant/none/x`)).status).toBe(404)
  await addBlueprint(manager.db, 'failed')
  expect((await get('blueprints/default_tenant/failed/x')).status).toBe(404)
})

test('the tenant of the path decides who may read; private blueprints are their owner’s, global ones everybody’s', async () => {
  const start = (blueprint: string) => `blueprints/default_tenant/${blueprint}/scripts/start.sh`
  expect((await get(start('app'), 'bob')).status).toBe(200)
  expect((await get(start('app'), 'carol')).body).toMatchObject({
    error_code: 'forbidden_error',
    message:
      'User `carol` is not permitted to perform the action file_server_auth in the tenant `default_tenant`',
  })
  expect((await get(start('app'), null)).status).toBe(401)
  expect((await get('blueprints/nowhere/app/x')).status).toBe(403)
  expect((await get(start('mine'), 'alice')).status).toBe(200)
  expect((await get(start('mine'), 'admin')).status).toBe(200)
  expect((await get(start('mine'), 'bob')).status).toBe(404)
  expect((await get(start('shared'), 'carol')).status).toBe(200)
})

test("an operation reads with its execution's token, in its own tenant and what is global", async () => {
  const own = await addExecution(manager.db, { deploymentId: 'running' })
  const by = (executionToken: string, path: string) =>
    manager.inject('GET', `/resources/${path}`, { executionToken, tenant: null })
  expect((await by(own.token, 'deployments/default_tenant/running/blueprint.yaml')).text).toBe('tosca')
  expect((await by(otherExecution.token, 'deployments/default_tenant/running/blueprint.yaml')).status).toBe(
    403,
  )
  expect((await by(otherExecution.token, 'blueprints/default_tenant/shared/blueprint.yaml')).text).toBe(
    'tosca',
  )
})

const authorized = async (
  uri: string | readonly string[] | undefined,
  request: { user?: string | null; executionToken?: string; method?: string } = {},
) => {
  const { method, ...who } = request
  const { statusCode, body } = await manager.app.inject({
    url: '/api/v3.1/file-server-auth',
    headers: {
      ...headersOf({ ...who, tenant: null }),
      ...(uri !== undefined && { 'x-original-uri': uri as string }),
      ...(method !== undefined && { 'x-original-method': method }),
    },
  })
  if (statusCode === 200) expect(body).toBe('')
  else expect(JSON.parse(body)).toHaveProperty('error_code')
  return statusCode
}

test('another file server asks by the same rule', async () => {
  const app = '/resources/blueprints/default_tenant/app/scripts/start.sh'
  for (const [uri, user, status] of [
    [app, 'bob', 200],
    [`${app}?v=1`, 'bob', 200],
    [app, 'carol', 403],
    [app, null, 401],
    ['/resources/blueprints/default_tenant/shared/x', 'carol', 200],
    ['/resources/blueprints/default_tenant/shared/x', null, 401],
    ['/resources/uploaded-blueprints/default_tenant/app/app.tar.gz', 'bob', 200],
    ['/resources/uploaded-blueprints/default_tenant/app/app.tar.gz', 'carol', 403],
    ['/resources/deployments/default_tenant/running/x', 'bob', 200],
    ['/resources/deployments/default_tenant/running/x', 'carol', 403],
    ['/resources/blueprints/default_tenant/mine/x', 'alice', 200],
    ['/resources/blueprints/default_tenant/mine/x', 'admin', 200],
    ['/resources/blueprints/default_tenant/mine/x', 'bob', 403],
    ['/resources/blueprints/default_tenant/none/x', 'bob', 403],
    ['/resources/blueprints/nowhere/app/x', 'admin', 403],
    ['/resources/blueprints/default_tenant', 'bob', 403],
    ['/resources/spec/types.yaml', 'carol', 200],
    ['/resources/spec/types.yaml', null, 401],
    ['/resources/cloudify_agent/agent.tar.gz', null, 200],
    ['/resources/cloudify_agent/../blueprints/default_tenant/app/x', null, 401],
    ['/resources/cloudify_agent/%2e%2e/blueprints/default_tenant/app/x', 'carol', 403],
    ['//resources//blueprints//default_tenant/app/x', 'carol', 403],
    ['/resources/%62lueprints/default_tenant/app/x', 'carol', 403],
    ['/resources/blueprints/lab/../default_tenant/app/x', 'carol', 403],
    ['/api/v3.1/blueprints', 'admin', 403],
    ['', 'admin', 403],
    [undefined, 'admin', 400],
    [[app, '/resources/spec/x'], 'admin', 403],
  ] as const) {
    expect(await authorized(uri, { user }), `${uri} ${user}`).toBe(status)
  }
  const wrong = await manager.app.inject({
    url: '/api/v3.1/file-server-auth',
    headers: { 'x-original-uri': '/resources/spec/x', authorization: `Basic ${btoa('bob:wrong')}` },
  })
  expect(wrong.statusCode).toBe(401)
})

test('only an execution writes, and to deployments of its tenant', async () => {
  const own = await addExecution(manager.db, { deploymentId: 'running' })
  const folder = '/resources/deployments/default_tenant/running/x'
  expect(await authorized(folder, { executionToken: own.token })).toBe(200)
  for (const method of ['PUT', 'DELETE', 'PATCH', 'get']) {
    expect(await authorized(folder, { executionToken: own.token, method }), method).toBe(200)
    expect(await authorized(folder, { executionToken: otherExecution.token, method }), method).toBe(403)
    expect(await authorized(folder, { user: 'admin', method }), method).toBe(403)
    for (const other of ['blueprints/default_tenant/shared/x', 'spec/x', 'cloudify_agent/x']) {
      const uri = `/resources/${other}`
      expect(await authorized(uri, { executionToken: own.token, method }), uri).toBe(403)
    }
    expect(await authorized('/resources/cloudify_agent/x', { user: null, method })).toBe(401)
  }
  expect(await authorized(folder, { executionToken: own.token, method: 'HEAD' })).toBe(200)
})
