import { execFile, spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { passwordOf } from '../packages/manager/test/password-of.ts'
import { startTestSystem, type TestSystem } from '../packages/manager/test/test-system.ts'

/** docs/python.md, done as it says: installed without a network, its files run as they stand there. */
let folder: string
let python: string
let system: TestSystem

const runtime = import.meta.dirname
const standIns = ['cloudify-common', 'fusion-common', 'cloudify-plugins-common']

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tutti-python-'))
  // pip leaves what it builds beside the sources.
  await cp(runtime, join(folder, 'sources'), { recursive: true, filter: (path) => !path.includes('__pycache__') })
  await run(builder(), ['-m', 'venv', '--system-site-packages', join(folder, 'venv')])
  python = join(folder, 'venv', 'bin', 'python')
  await pip('install', './sources', ...standIns.map((name) => `./sources/compat/${name}`))
  const text = await readFile(join(runtime, '..', 'docs', 'python.md'), 'utf8')
  for (const [, block = '', name = ''] of text.matchAll(/^```python\n(# (\S+\.py)\n.*?)^```/gms)) {
    await writeFile(join(folder, name), block)
  }
  system = await startTestSystem()
})
afterAll(async () => {
  await system?.close()
  await rm(folder, { recursive: true, force: true })
})

/** An interpreter that can make environments and build packages without a network. */
function builder(): string {
  const found = ['python3', '/usr/bin/python3'].find(
    (one) => spawnSync(one, ['-c', 'import ensurepip, setuptools, wheel']).status === 0,
  )
  if (found === undefined) {
    throw new Error('No Python here has setuptools, wheel and venv: apt-get install python3-{setuptools,wheel,venv}')
  }
  return found
}

const pip = (...args: readonly string[]) => {
  const [command = '', ...rest] = args
  return run(python, ['-m', 'pip', command, '--no-index', '--no-build-isolation', '--quiet', ...rest])
}

function run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  // Nothing of the machine's own: neither another SDK, nor the sources.
  const { PYTHONPATH: _, ...inherited } = process.env
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd: folder, env: { ...inherited, ...env } }, (error, out, errors) =>
      error === null ? resolve(out) : reject(new Error(`${program} ${args.join(' ')}\n${out}\n${errors}`)),
    )
  })
}

test('what is installed has the names that scripts and plugins import', async () => {
  const found = await run(python, [
    '-c',
    `import cloudify.manager, cloudify_rest_client.client, script_runner.tasks, sys
print(all(sys.modules[name].__file__.startswith(sys.prefix) for name in ('cloudify', 'cloudify_rest_client', 'script_runner')))`,
  ])
  expect(found.trim()).toBe('True')
})

test('a plugin that requires cloudify-common installs on it', async () => {
  await mkdir(join(folder, 'plugin'))
  await writeFile(
    join(folder, 'plugin', 'setup.py'),
    `from setuptools import setup
setup(name='a-plugin', version='1', py_modules=['a_plugin'], install_requires=['cloudify-common>=7.0.2', 'fusion-common'])`,
  )
  await writeFile(join(folder, 'plugin', 'a_plugin.py'), 'from cloudify import ctx\n')
  await pip('install', './plugin')
  const dependencies = `import a_plugin, pkg_resources; pkg_resources.require('a-plugin')`
  await run(python, ['-c', dependencies])
})

test('a script that a test of a plugin runs finds ctx', async () => {
  await writeFile(join(folder, 'port.sh'), '#!/bin/sh\nctx returns "$(ctx node properties port)"\n')
  const answer = await run(python, [
    '-c',
    `from cloudify.mocks import MockCloudifyContext
from cloudify.state import current_ctx
from script_runner import tasks
ctx = MockCloudifyContext(node_id='a', properties={'port': 80}, resources={'port.sh': 'port.sh'})
with current_ctx.push(ctx):
    print('answer', tasks.run(script_path='port.sh', ctx=ctx))`,
  ])
  expect(answer).toMatch(/^answer 80$/m)
})

test('where the SDK is on the path of a worker, cloudify-common counts as installed', async () => {
  const version = `import importlib.metadata, pkg_resources
for name in ('cloudify-common', 'fusion-common', 'cloudify-plugins-common'):
    pkg_resources.require(name + '>=7.0.2')
    print(importlib.metadata.version(name))`
  const found = await run(builder(), ['-c', version], { PYTHONPATH: runtime })
  expect(found.trim().split('\n')).toEqual(['7.1.0', '7.1.0', '7.1.0'])
})

test('the script of docs/python.md lists, deploys and follows', async () => {
  const { port } = new URL(system.url)
  await mkdir(join(folder, 'shop'))
  await writeFile(join(folder, 'shop', 'blueprint.yaml'), blueprint)
  await writeFile(join(folder, 'shop', 'greet.sh'), 'ctx logger info "I say $greeting"\n')
  const output = await run(python, ['deploy.py', 'shop/blueprint.yaml', 'shop'], {
    TUTTI_PORT: port,
    TUTTI_PASSWORD: passwordOf('admin'),
  })
  expect(output).toMatch(/I say hello\n/)
  expect(output).toMatch(/'install' workflow execution succeeded\n/)
  expect(output).toMatch(/^terminated \nshop of shop\n\{'greeting': 'hello'\}\n$/m)
})

const blueprint = `
tosca_definitions_version: cloudify_dsl_1_4
imports: [cloudify/types/types.yaml]
inputs: { greeting: {} }
node_templates:
  greeter:
    type: cloudify.nodes.Root
    interfaces:
      cloudify.interfaces.lifecycle:
        create: { implementation: greet.sh, inputs: { greeting: { get_input: greeting } } }
capabilities: { greeting: { value: { get_input: greeting } } }
`

test('the operation of docs/python.md passes its test', async () => {
  await run(python, ['-m', 'unittest', 'test_greeter'])
})
