import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Client, createClient } from '@tutti/client'
import { processesWith } from './process-table.ts'
import { until } from './until.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const password = 'crash-test'

/** A folder of one test: its processes, their data and what they write; all of it goes with `remove`. */
export type Site = {
  readonly folder: string
  /** In the environment of every process that is started here and of all that those start. */
  readonly marker: string
  start(name: string, args: readonly string[], variables?: Readonly<Record<string, string>>): TuttiProcess
  /** Ends what still runs and removes everything. */
  remove(): Promise<void>
}

/** A `tutti` command line in a process of its own. */
export type TuttiProcess = {
  readonly pid: number
  /** Resolves when it has gone. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  readonly isRunning: boolean
  kill(signal: NodeJS.Signals): void
  /** What it has written so far, and those before it of the same name. */
  log(): Promise<string>
}

/** Runs a test at a site of its own; when it fails, what the processes wrote last is part of the error. */
export async function atSite(test: (site: Site) => Promise<void>): Promise<void> {
  const site = await openSite()
  try {
    await test(site)
  } catch (error) {
    const names = (await readdir(site.folder)).filter((name) => name.endsWith('.log'))
    const logs = await Promise.all(
      names.map(
        async (name) => `--- ${name}\n${(await readFile(join(site.folder, name), 'utf8')).slice(-6_000)}`,
      ),
    )
    console.log(logs.join('\n'))
    throw error
  } finally {
    await site.remove()
  }
}

async function openSite(): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'tutti-crash-'))
  // The database of root runs as another user, who has to pass through.
  await chmod(folder, 0o711)
  await mkdir(join(folder, 'config'))
  const marker = randomUUID()
  const started: TuttiProcess[] = []

  return {
    folder,
    marker,
    start(name, args, variables = {}) {
      const inherited = Object.entries(process.env).filter(([key]) => !/^(TUTTI_|VITEST|NODE_ENV)/.test(key))
      const file = join(folder, `${name}.log`)
      const child = launch(args, file, {
        ...Object.fromEntries(inherited),
        TUTTI_CONFIG_FOLDER: join(folder, 'config'),
        TUTTI_ADMIN_PASSWORD: password,
        CRASH_TEST_MARKER: marker,
        ...variables,
      })
      const running = tuttiProcess(child, file)
      started.push(running)
      return running
    },
    async remove() {
      for (const one of started) one.kill('SIGTERM')
      const patience = setTimeout(() => {
        for (const one of started) one.kill('SIGKILL')
      }, 20_000)
      await Promise.all(started.map(({ ended }) => ended))
      clearTimeout(patience)
      for (const { pid } of await processesWith(marker)) process.kill(pid, 'SIGKILL')
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function launch(args: readonly string[], file: string, env: NodeJS.ProcessEnv): ChildProcess {
  const log = openSync(file, 'a')
  try {
    return spawn(process.execPath, [main, ...args], { env, stdio: ['ignore', log, log] })
  } finally {
    closeSync(log)
  }
}

function tuttiProcess(child: ChildProcess, file: string): TuttiProcess {
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('exit', (code, signal) => resolve({ code, signal }))
  })
  return {
    pid: child.pid ?? 0,
    ended,
    get isRunning() {
      return child.exitCode === null && child.signalCode === null
    },
    kill: (signal) => void child.kill(signal),
    log: () => readFile(file, 'utf8'),
  }
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

export function clientOf(port: number): Client {
  return createClient({
    url: `http://127.0.0.1:${port}`,
    tenant: 'default_tenant',
    credentials: { kind: 'password', username: 'admin', password },
  })
}

export async function isReady(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
  await response?.text()
  return response?.ok === true
}

export async function untilReady(port: number, running: TuttiProcess): Promise<void> {
  const ready = await until(`the manager on port ${port}`, 60_000, async () => {
    return !running.isRunning ? 'ended' : (await isReady(port)) && 'ready'
  })
  if (ready === 'ended') throw new Error('the manager ended instead of getting ready')
}
