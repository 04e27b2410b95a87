import { spawn } from 'node:child_process'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type BenchManager, ended, withoutTutti } from './manager.ts'

const here = dirname(fileURLToPath(import.meta.url))

export type Stall = {
  readonly ms: number
  /** The longest pause of the garbage collector, which may be part of the stall. */
  readonly collectionMs: number
}

/** A `tutti worker` in a process of its own, which says how long its event loop was held up at most. */
export type BenchWorker = {
  readonly pid: number
  /** Since it was asked last, in ms. */
  longestStall(): Promise<Stall>
  stop(): Promise<void>
  kill(): Promise<void>
}

/** Starts a worker on the embedded database of a manager, as on another machine: with a data folder of its own. */
export async function startWorker(
  manager: BenchManager,
  name: string,
  profileFolder: string | undefined,
): Promise<BenchWorker> {
  const dataFolder = join(manager.dataFolder, name)
  await mkdir(dataFolder)
  const stalls = join(dataFolder, 'stalls')
  const socket = encodeURIComponent(join(manager.dataFolder, 'postgresql'))
  const profile = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`]
  const child = spawn(
    process.execPath,
    [
      ...profile,
      '--import',
      join(here, 'note-stalls.ts'),
      join(here, '../packages/cli/src/main.ts'),
      'worker',
      '--data-folder',
      dataFolder,
      '--manager-url',
      manager.url,
      '--log-level',
      process.env.BENCH_LOG ?? 'warn',
      '--json',
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...withoutTutti(process.env),
        TUTTI_CONFIG_FOLDER: dataFolder,
        TUTTI_RESOURCES_FOLDER: join(dataFolder, 'resources'),
        TUTTI_DATABASE_URL: `postgresql://tutti@${socket}:5432/tutti`,
        TUTTI_ENCRYPTION_KEY: (await readFile(join(manager.dataFolder, 'encryption-key'), 'utf8')).trim(),
        BENCH_STALLS: stalls,
      },
    },
  )
  await new Promise<void>((resolve, reject) => {
    createInterface(child.stdout).once('line', () => resolve())
    child.once('exit', (code) => reject(new Error(`tutti worker ended with exit code ${code}`)))
  })
  let read = 0
  return {
    pid: child.pid ?? 0,
    async longestStall() {
      const all = (await readFile(stalls, 'utf8')).trim().split('\n')
      const news = all.slice(read).map((line) => line.split(' ').map(Number))
      read = all.length
      return {
        ms: Math.max(0, ...news.map(([ms = 0]) => ms)),
        collectionMs: Math.max(0, ...news.map(([, ms = 0]) => ms)),
      }
    },
    stop: () => ended(child, 'SIGTERM'),
    kill: () => ended(child, 'SIGKILL'),
  }
}
