import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { constants } from 'node:fs'
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { killProcess, processesIn } from '../packages/cli/test/crash/process-table.ts'

const repository = dirname(dirname(fileURLToPath(import.meta.url)))
const isRoot = process.getuid?.() === 0
/** The user without rights that every Linux has. */
const nobody = { uid: 65_534, gid: 65_534 }

const folders: string[] = []
afterAll(async () => {
  for (const folder of folders) {
    // A demo that was interrupted leaves the web server that it installed.
    for (const { pid } of await processesIn(folder)) killProcess(pid)
    await rm(folder, { recursive: true, force: true })
  }
})

test('the demo shows the whole way of a blueprint, and does so again', async () => {
  const temporary = await temporaryFolder()
  for (const run of ['first', 'second']) {
    const { exitCode, text } = await ended(startDemo(['npm', 'run', 'demo'], temporary))
    expect(text, `${run} run`).toContain('install succeeded')
    expect(text).toMatch(/output url: http:\/\/127\.0\.0\.1:\d+\//)
    expect(text).toContain('it says: Hello from Tutti!')
    expect(text).toContain('uninstall succeeded')
    expect(text).toContain('Stopping the manager: done')
    expect(text).toContain('npm run tutti -- serve')
    expect(text).not.toContain('error')
    expect(text).not.toContain('    at ')
    expect(exitCode).toBe(0)
  }
})

test('a demo that was killed half-way is cleaned up by the next one', async () => {
  const temporary = await temporaryFolder()
  const killed = startDemo([process.execPath, join(repository, 'scripts', 'demo.ts')], temporary)
  await said(killed, 'install succeeded')
  killed.kill('SIGKILL')
  await ended(killed)
  const { exitCode, text } = await ended(startDemo(['npm', 'run', 'demo'], temporary))
  expect(text).toContain('Removing what an interrupted demo left: done')
  expect(text).toContain('it says: Hello from Tutti!')
  expect(exitCode).toBe(0)
})

test('the demo stops cleanly when it is interrupted', async () => {
  const temporary = await temporaryFolder()
  const demo = startDemo([process.execPath, join(repository, 'scripts', 'demo.ts')], temporary)
  await said(demo, "Starting 'install'")
  demo.kill('SIGINT')
  const { exitCode, text } = await ended(demo)
  expect(text).toContain('The next `npm run demo` cleans up')
  expect(exitCode).toBe(1)
  expect(await postgresPids(temporary)).toEqual([])
})

// As an ordinary user, the tests above show it.
if (isRoot) {
  test('the demo runs as a user without rights', async () => {
    const temporary = await temporaryFolder()
    await chown(temporary, nobody.uid, nobody.gid)
    const place = await reachableRepository()
    const isPinned = process.execPath.startsWith(repository)
    const node = isPinned ? join(place, relative(repository, process.execPath)) : process.execPath
    const { exitCode, text } = await ended(
      startDemo([node, join(place, 'scripts', 'demo.ts')], temporary, { ...nobody, cwd: place }),
    )
    expect(text).toContain('it says: Hello from Tutti!')
    expect(exitCode).toBe(0)
  })
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tutti-demo-test-'))
  folders.push(folder)
  // Open for passing: as root, the demo's PostgreSQL runs as another user.
  await chmod(folder, 0o711)
  return folder
}

function startDemo(command: readonly string[], temporary: string, user: object = {}): ChildProcess {
  const [program = '', ...args] = command
  const env = { ...process.env, TMPDIR: temporary, HOME: temporary, NO_COLOR: '1' }
  const child = spawn(program, args, { cwd: repository, env, stdio: ['ignore', 'pipe', 'pipe'], ...user })
  output.set(child, '')
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output.set(child, output.get(child) + text)
      child.emit('said')
    })
  }
  return child
}

const output = new WeakMap<ChildProcess, string>()

function said(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('said', () => {
      if (output.get(child)?.includes(text)) resolve()
    })
    child.on('close', () => reject(new Error(`it ended without “${text}”: ${output.get(child)}`)))
  })
}

function ended(child: ChildProcess): Promise<{ exitCode: number | null; text: string }> {
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (exitCode) => resolve({ exitCode, text: output.get(child) ?? '' }))
  })
}

/** The repository, or where others may not pass to it (below /root, say) a copy of it. */
async function reachableRepository(): Promise<string> {
  const entry = join(repository, 'scripts', 'demo.ts')
  if (spawnSync('test', ['-r', entry], nobody).status === 0) return repository
  const copy = join(await temporaryFolder(), 'repository')
  await mkdir(copy)
  await chmod(copy, 0o755)
  for (const name of await readdir(repository)) {
    if (name.startsWith('.')) continue
    await cp(join(repository, name), join(copy, name), {
      recursive: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
    })
  }
  return copy
}

async function postgresPids(temporary: string): Promise<number[]> {
  const pids: number[] = []
  for (const name of await readdir(temporary)) {
    const file = join(temporary, name, 'postgresql', 'data', 'postmaster.pid')
    const text = await readFile(file, 'utf8').catch(() => '')
    if (text !== '') pids.push(Number.parseInt(text, 10))
  }
  return pids
}
