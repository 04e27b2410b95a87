import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Client, createClient } from '@tutti/client'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** A `tutti serve` in a process of its own, as a user would start it: all roles, embedded PostgreSQL, durable. */
export type BenchManager = {
  readonly url: string
  readonly pid: number
  readonly dataFolder: string
  readonly client: Client
  readonly authorization: string
  /** From the start of the process until it answered. */
  readonly startMs: number
  stop(): Promise<void>
  kill(): Promise<void>
}

export type ManagerOptions = {
  readonly dataFolder: string
  /** Folder for a `.cpuprofile` of the process, written when it stops. */
  readonly profileFolder?: string | undefined
  /** `api`: executions are left to workers of their own (worker.ts). */
  readonly roles?: 'all' | 'api'
}

export async function startManager({
  dataFolder,
  profileFolder,
  roles = 'all',
}: ManagerOptions): Promise<BenchManager> {
  const startedAt = performance.now()
  const profile = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`]
  const serve = [
    'serve',
    '--data-folder',
    dataFolder,
    '--port',
    '0',
    '--roles',
    roles,
    '--log-level',
    process.env.BENCH_LOG ?? 'warn',
    '--json',
  ]
  const child = spawn(process.execPath, [...profile, join(root, 'packages/cli/src/main.ts'), ...serve], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...withoutTutti(process.env),
      TUTTI_CONFIG_FOLDER: dataFolder,
      TUTTI_RESOURCES_FOLDER: join(dataFolder, 'resources'),
    },
  })
  const url = await readyUrl(child)
  const startMs = performance.now() - startedAt
  const password = (await readFile(join(dataFolder, 'admin-password'), 'utf8')).trim()
  const credentials = { kind: 'password', username: 'admin', password } as const
  return {
    url,
    pid: child.pid ?? 0,
    dataFolder,
    client: createClient({ url, tenant: 'default_tenant', credentials }),
    authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`,
    startMs,
    stop: () => ended(child, 'SIGTERM'),
    kill: () => ended(child, 'SIGKILL'),
  }
}

/** Settings of the user's own manager are not for a benchmark. */
export const withoutTutti = (variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => !name.startsWith('TUTTI_')))

function readyUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) throw new Error('the manager was started without a pipe')
    createInterface(child.stdout).on('line', (line) => {
      const { ready, url } = JSON.parse(line) as { ready?: boolean; url?: string }
      if (ready === true && url !== undefined) resolve(url)
    })
    child.once('error', reject)
    child.once('exit', (code) =>
      reject(new Error(`tutti serve ended with exit code ${code} before it served`)),
    )
  })
}

export function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill(signal)
  })
}
