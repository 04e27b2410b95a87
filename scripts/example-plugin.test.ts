import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, zipOf } from '../packages/manager/test/archives.ts'
import { startTestSystem, type TestSystem } from '../packages/manager/test/test-system.ts'

/** examples/plugin, done as its README says. */
const repository = dirname(dirname(fileURLToPath(import.meta.url)))
const python = join(repository, 'python')
let folder: string
let system: TestSystem
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tutti-example-plugin-'))
  cpSync(join(repository, 'examples', 'plugin'), join(folder, 'plugin'), { recursive: true })
  system = await startTestSystem()
})
afterAll(async () => {
  await system?.close()
  rmSync(folder, { recursive: true })
})

/** A Python that can build packages without a network. */
function builder(): string {
  const found = ['python3', '/usr/bin/python3'].find(
    (one) => spawnSync(one, ['-c', 'import ensurepip, setuptools, wheel']).status === 0,
  )
  if (found === undefined) throw new Error('No Python here has ensurepip, setuptools and wheel')
  execFileSync(found, ['-m', 'venv', '--system-site-packages', join(folder, 'venv')])
  return join(folder, 'venv', 'bin', 'python')
}

test('the example plugin passes its tests, and is packed, uploaded and used', async () => {
  const project = join(folder, 'plugin')
  execFileSync('python3', ['-m', 'unittest'], {
    cwd: project,
    env: { ...process.env, PYTHONPATH: python },
    stdio: 'pipe',
  })
  const wheels = join(folder, 'wheels')
  mkdirSync(wheels)
  const said = execFileSync(
    builder(),
    [join(python, 'pack_plugin.py'), JSON.stringify({ project, target: folder, wheels })],
    { encoding: 'utf8' },
  )
  const { packed } = JSON.parse(said.trim().split('\n').at(-1) ?? '')
  expect(packed).toMatchObject({ package_name: 'greeter-plugin', package_version: '1.0.0' })
  const wagon = readFileSync(packed.wagon)
  const body = zipOf(
    { name: 'greeter_plugin-1.0.0-py3-none-any.wgn', content: wagon },
    { name: 'plugin.yaml', content: readFileSync(join(project, 'plugin.yaml')) },
  )
  expect(await system.send('POST', '/plugins', { body })).toMatchObject({ status: 201 })
  await system.upload(
    'greeting',
    blueprintArchive(readFileSync(join(project, 'blueprint', 'blueprint.yaml'), 'utf8')),
  )
  await system.deploy('greeting', 'greeting')
  expect(await system.ended(await system.start('greeting', 'install'))).toMatchObject({
    status: 'terminated',
  })
  const { items } = (await system.inject('GET', '/node-instances?deployment_id=greeting&node_id=guest')).body
  expect(items[0].runtime_properties).toEqual({ word: 'Hallo', greeted: 'Hallo, world!' })
})
