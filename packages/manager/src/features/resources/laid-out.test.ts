import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { writeArchive } from '@tutti/storage'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintText, zipOf } from '../../../test/archives.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

/** Files where scripts look for them, on every worker. */
let system: TestSystem
beforeAll(async () => {
  system = await startTestSystem()
})
afterAll(() => system.close())

const script = `#!/bin/bash
set -e
blueprint="$MANAGER_FILE_SERVER_ROOT/blueprints/default_tenant/$(ctx blueprint id)"
deployment="$MANAGER_FILE_SERVER_ROOT/deployments/default_tenant/$(ctx deployment id)"
eval "$(ctx node properties run)"
`
const python = `
from cloudify import ctx
import os
folder = ctx.local_deployment_workdir()
assert folder == os.path.join(os.environ['MANAGER_FILE_SERVER_ROOT'], 'deployments', 'default_tenant', ctx.deployment.id), folder
with ctx.sync_deployment_workdir():
    with open(os.path.join(folder, 'python.txt'), 'w') as file:
        file.write('python')
ctx.upload_deployment_file('up/loaded.txt', os.path.join(folder, 'python.txt'))
ctx.upload_deployment_file('gone.txt', os.path.join(folder, 'python.txt'))
ctx.delete_deployment_file('gone.txt')
try:
    ctx.upload_deployment_file('../out.txt', os.path.join(folder, 'python.txt'))
except Exception as error:
    ctx.instance.runtime_properties['refused'] = str(error)
`

let made = 0
async function upload(files: Readonly<Record<string, string>> = {}): Promise<string> {
  made += 1
  const id = `b${made}`
  const node_types = {
    scripted: { derived_from: 'cloudify.nodes.Root', properties: { run: { default: '' } } },
  }
  const implementation = (name: string) => ({
    'cloudify.interfaces.lifecycle': { create: name },
    mine: { again: name },
  })
  const content = {
    node_types,
    inputs: { run: { default: '' }, file: { default: 'run.sh' } },
    node_templates: {
      one: {
        type: 'scripted',
        properties: { run: { get_input: 'run' } },
        interfaces: implementation('run.sh'),
      },
    },
  }
  await system.upload(id, blueprintArchive(blueprintText(content), { 'run.sh': script, ...files }))
  return id
}

async function install(id: string, blueprint: string, run: string, deployer = system) {
  await deployer.deploy(id, blueprint, { inputs: { run } })
  return system.ended(await deployer.start(id, 'install'))
}

const again = async (id: string) =>
  system.ended(await system.start(id, 'execute_operation', { parameters: { operation: 'mine.again' } }))

const rootOf = (one: TestSystem) => join(one.services.settings.dataFolder, 'resources')
const folderOf = (kind: string, id: string, one = system) => join(rootOf(one), kind, 'default_tenant', id)
const served = (path: string) =>
  system.inject('GET', `/resources/deployments/default_tenant/${path}`, { tenant: null })

test('a script finds the files of its blueprint, to be read, and the folder of its deployment, to be written', async () => {
  const blueprint = await upload({ 'data/words.txt': 'hello', 'icon.png': 'x' })
  const run =
    'cat "$blueprint/data/words.txt" > "$deployment/copied.txt"; mkdir -p "$deployment/a b/c"; echo deep > "$deployment/a b/c/d"; ln -s /etc "$deployment/out"'
  expect(await install('first', blueprint, run)).toMatchObject({ status: 'terminated' })
  const folder = folderOf('deployments', 'first')
  expect(await readFile(join(folder, 'copied.txt'), 'utf8')).toBe('hello')
  const file = await stat(join(folderOf('blueprints', blueprint), 'data', 'words.txt'))
  expect(file.mode & 0o222).toBe(0)
  expect((await stat(join(folderOf('blueprints', blueprint), 'run.sh'))).mode & 0o777).toBe(0o444)
  // And over the API, for others; links are not followed.
  expect((await served('first/copied.txt')).text).toBe('hello')
  expect((await served('first/a%20b/c/d')).text).toBe('deep\n')
  expect((await served('first/out/passwd')).status).toBe(404)
  expect((await served('first/run.sh')).status).toBe(200)

  await system.inject('DELETE', '/deployments/first?force=true')
  await system.deleted('first')
  await expect
    .poll(() => readdir(join(rootOf(system), 'deployments', 'default_tenant')), { timeout: 20_000 })
    .not.toContain('first')
  expect((await served('first/copied.txt')).status).toBe(404)
  expect((await system.inject('DELETE', `/blueprints/${blueprint}`)).status).toBe(204)
  await expect
    .poll(() => readdir(join(rootOf(system), 'blueprints', 'default_tenant')), { timeout: 20_000 })
    .not.toContain(blueprint)
})

test('what a failed operation wrote is there for the next, and nothing of a deployment for another of its id', async () => {
  const blueprint = await upload()
  expect(
    await install(
      'second',
      blueprint,
      'echo once >> "$deployment/log"; [ $(wc -l < "$deployment/log") -gt 1 ] || ctx abort-operation no',
    ),
  ).toMatchObject({ status: 'failed' })
  expect((await served('second/log')).text).toBe('once\n')
  expect(await again('second')).toMatchObject({ status: 'terminated' })
  expect((await served('second/log')).text).toBe('once\nonce\n')
  await system.inject('DELETE', '/deployments/second?force=true')
  await system.deleted('second')
  expect(
    await install('second', blueprint, 'n=$(ls "$deployment" | wc -l); echo $n > "$deployment/seen"'),
  ).toMatchObject({
    status: 'terminated',
  })
  expect((await served('second/seen')).text.trim()).toBe('0')
})

test('another worker goes on with what the last one left', async () => {
  const blueprint = await upload()
  const run =
    'echo $MANAGER_FILE_SERVER_ROOT >> "$deployment/workers"; rm -f "$deployment/gone"; [ -e "$deployment/link" ] || { touch "$deployment/gone"; ln -s workers "$deployment/link"; chmod 700 "$deployment/link"; }'
  expect(await install('third', blueprint, run)).toMatchObject({ status: 'terminated' })
  expect((await served('third/workers')).text).toBe(`${rootOf(system)}\n`)
  // The same, as if it were another machine: its folder is gone, and everything comes from the database.
  await rm(rootOf(system), { recursive: true, force: true })
  expect(await again('third')).toMatchObject({ status: 'terminated' })
  const folder = folderOf('deployments', 'third')
  expect(await readFile(join(folder, 'link'), 'utf8')).toBe(`${rootOf(system)}\n${rootOf(system)}\n`)
  expect((await stat(join(folder, 'workers'))).mode & 0o777).toBe(0o700)
  expect(await readdir(folder)).toEqual(expect.not.arrayContaining(['gone']))
})

test('what is newer elsewhere replaces what is here, whole', async () => {
  const blueprint = await upload()
  expect(
    await install('fourth', blueprint, 'ls "$deployment" > "$deployment/seen"; touch "$deployment/here"'),
  ).toMatchObject({ status: 'terminated' })
  const { sha256 } = await system.db
    .selectFrom('deployment_folders')
    .select('sha256')
    .where('deployment_id', '=', 'fourth')
    .executeTakeFirstOrThrow()
  expect(await again('fourth')).toMatchObject({ status: 'terminated' })
  expect((await served('fourth/seen')).text).toBe('here\nseen\n')
  // As another worker would store an older state of it.
  await system.db
    .updateTable('deployment_folders')
    .set({ sha256, version: '9999999' })
    .where('deployment_id', '=', 'fourth')
    .execute()
  const marker = join(folderOf('deployments', 'fourth'), 'only-here')
  await writeFile(marker, '')
  expect(await again('fourth')).toMatchObject({ status: 'terminated' })
  expect((await served('fourth/seen')).text).toBe('here\nseen\n')
})

test('a restored deployment begins with the folder that was restored with it', async () => {
  const blueprint = await upload()
  await system.deploy('restored', blueprint, {
    inputs: { run: 'cat "$deployment/state/kept" > "$deployment/read"' },
  })
  const zip = zipOf({ name: 'state/kept', content: 'from elsewhere' })
  await system.db.transaction().execute(async (transaction) => {
    const { sha256 } = await writeArchive(transaction, Readable.from([zip]), { maxBytes: 1_000_000 })
    await transaction
      .insertInto('deployment_workdirs')
      .values({ tenant_id: 0, deployment_id: 'restored', archive_sha256: sha256 })
      .execute()
  })
  expect(await system.ended(await system.start('restored', 'install'))).toMatchObject({
    status: 'terminated',
  })
  expect((await served('restored/read')).text).toBe('from elsewhere')
  // Afterwards it is what operations made of it.
  await rm(folderOf('deployments', 'restored'), { recursive: true })
  expect(await again('restored')).toMatchObject({ status: 'terminated' })
  expect((await served('restored/state/kept')).text).toBe('from elsewhere')
})

test('the SDK finds the folder, and nothing outside of it', async () => {
  const content = {
    node_templates: {
      one: {
        type: 'cloudify.nodes.Root',
        interfaces: { 'cloudify.interfaces.lifecycle': { create: 'x.py' } },
      },
    },
  }
  await system.upload('sdk', blueprintArchive(blueprintText(content), { 'x.py': python }))
  await system.deploy('sdk', 'sdk')
  expect(await system.ended(await system.start('sdk', 'install'))).toMatchObject({ status: 'terminated' })
  expect((await served('sdk/up/loaded.txt')).text).toBe('python')
  expect((await served('sdk/gone.txt')).status).toBe(404)
  const { items } = (await system.inject('GET', '/node-instances?deployment_id=sdk')).body
  expect(items[0].runtime_properties.refused).toContain('is not in the folder of the deployment')
  expect(await readdir(join(rootOf(system), 'deployments', 'default_tenant'))).not.toContain('out.txt')
})

test('a folder that is too large stays on its worker, and the deployment says so', async () => {
  const blueprint = await upload()
  const id = 'large'
  expect(await install(id, blueprint, 'truncate -s 200M "$deployment/hole"')).toMatchObject({
    status: 'terminated',
  })
  expect((await served(`${id}/hole`)).status).toBe(404)
  const { items } = (await system.inject('GET', `/events?deployment_id=${id}&level=warning`)).body
  expect(items.map(({ message }: { message: string }) => message)).toEqual([
    expect.stringContaining('is on this worker only'),
  ])
  expect(await again(id)).toMatchObject({ status: 'terminated' })
})

test.each(['..', '.', `d${'x'.repeat(255)}`])(
  'a deployment whose id can be no folder has none: %s',
  async (id) => {
    const blueprint = await upload()
    const created = await system.inject(
      'PUT',
      `/deployments/${encodeURIComponent(id).replaceAll('.', '%2E')}`,
      {
        body: { blueprint_id: blueprint, inputs: { run: 'true' } },
      },
    )
    // Some of them clients and routers resolve before we see them.
    if (created.status !== 201) return
    const before = await readdir(rootOf(system))
    const execution = await system.inject('POST', '/executions', {
      body: { deployment_id: id, workflow_id: 'install' },
    })
    expect(await system.ended(execution.body.id)).toMatchObject({ status: 'terminated' })
    expect(await readdir(rootOf(system))).toEqual(before)
  },
)
