import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const run = promisify(execFile)

/** A folder in which somebody has installed nothing but our tarball. */
let folder: string

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'tutti-build-')))
  await chmod(folder, 0o755) // the database's user passes through
  const built = join(folder, 'built')
  await run(process.execPath, [
    join(root, 'scripts', 'with-node.mjs'),
    'scripts/build.ts',
    built,
    '--noCheck',
  ])
  await writeFile(join(folder, 'package.json'), '{ "private": true }')
  const { stdout } = await run('npm', ['pack', '--json', '--silent', built], { cwd: folder })
  const [packed] = JSON.parse(stdout) as { filename: string }[]
  const options = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  await run('npm', ['install', ...options, join(folder, packed?.filename ?? '')], { cwd: folder })
})

afterAll(async () => await rm(folder, { recursive: true, force: true }))

test('the installed command says its version and shows its help', async () => {
  const version = await run('npx', ['tutti', '--version'], { cwd: folder })
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  const help = await run('npx', ['tutti', '--help'], { cwd: folder })
  expect(help.stdout).toContain('serve')
})

test('what is not JavaScript is there too: Python runtime, built-in types, first example', () => {
  const tutti = join(folder, 'node_modules', 'tutti')
  for (const file of [
    'node_modules/@tutti/worker/python/run_operation.py',
    'node_modules/@tutti/dsl/resources/cloudify/types/types.yaml',
    'examples/hello-world/blueprint.yaml',
  ]) {
    expect(existsSync(join(tutti, file)), file).toBe(true)
  }
})

test('serve starts with a database of its own, answers, and stops when asked', async () => {
  const command = join(folder, 'node_modules', '.bin', 'tutti')
  const metricsPort = await freePort()
  const options = [
    '--port',
    '0',
    '--metrics-port',
    String(metricsPort),
    '--data-folder',
    join(folder, 'data'),
  ]
  const server = spawn(command, ['serve', ...options], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, TUTTI_RESOURCES_FOLDER: join(folder, 'resources') },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const url = await firstUrl(createInterface(server.stdout))
    expect((await fetch(`${url}/api/v3.1/version`)).status).toBeLessThan(500)
    await expectDocumented(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text())
  } finally {
    server.kill('SIGTERM')
  }
  const [code] = (await once(server, 'exit')) as [number | null]
  expect(code).toBe(0)
})

/** Every metric of the program is in the documentation, and nothing else is. */
async function expectDocumented(metrics: string): Promise<void> {
  const shown = [...metrics.matchAll(/^# HELP (tutti_\w+)/gm)].map(([, name]) => name)
  const page = await readFile(join(root, 'docs', 'operations.md'), 'utf8')
  const documented = [...page.matchAll(/`(tutti_\w+)`/g)].map(([, name]) => name)
  expect([...new Set(documented)].sort()).toEqual([...new Set(shown)].sort())
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

async function firstUrl(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const url = /http:\/\/\S+/.exec(line)?.[0]
    if (url !== undefined) return url
  }
  throw new Error('the server ended without saying where it listens')
}
