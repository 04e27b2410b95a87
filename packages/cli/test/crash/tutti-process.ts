import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type Client, createClient } from '@tutti/client'
import { until } from './until.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const password = 'crash-test'

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

/** Starts a command line with nothing of this process's own settings; what it writes is added to `file`. */
export function launch(
  args: readonly string[],
  file: string,
  variables: Readonly<Record<string, string>>,
): TuttiProcess {
  const inherited = Object.entries(process.env).filter(([key]) => !/^(TUTTI_|VITEST|NODE_ENV)/.test(key))
  const env = { ...Object.fromEntries(inherited), TUTTI_ADMIN_PASSWORD: password, ...variables }
  const log = openSync(file, 'a')
  try {
    const child = spawn(process.execPath, [main, ...args], { env, stdio: ['ignore', log, log] })
    return tuttiProcess(child, file)
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
