import { execFileSync } from 'node:child_process'
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { benchParent } from './folder.ts'
import { median, round } from './statistics.ts'

/** What the numbers were measured on. */
export type Machine = {
  readonly at: string
  readonly commit: string
  readonly cpu: string
  readonly cores: number
  readonly memoryGiB: number
  readonly kernel: string
  readonly node: string
  readonly folder: string
  readonly fileSystem: string
  /** Median time of appending 8 KiB to a file and flushing it: the floor of a durable commit. */
  readonly flushMs: number
  /** Of the minute before: other work on the machine makes every number worse. */
  readonly loadBefore: number
  readonly user: string
}

export function describeMachine(at: Date): Machine {
  const folder = benchParent()
  return {
    at: at.toISOString(),
    commit: command('git', [
      '-C',
      dirname(fileURLToPath(import.meta.url)),
      'describe',
      '--always',
      '--dirty',
    ]),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGiB: round(totalmem() / 2 ** 30, 1),
    kernel: command('uname', ['-sr']),
    node: process.version,
    folder,
    fileSystem: fileSystemOf(folder),
    flushMs: round(flushMs(folder), 2),
    loadBefore: round(loadavg()[0] ?? 0, 2),
    user: process.getuid?.() === 0 ? 'root' : 'not root',
  }
}

function command(name: string, args: readonly string[]): string {
  try {
    return execFileSync(name, [...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return 'unknown'
  }
}

/** The type of the mount with the longest path above the folder. */
function fileSystemOf(folder: string): string {
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .filter(([, path = '?']) => path === '/' || folder === path || folder.startsWith(`${path}/`))
      .sort(([, one = ''], [, other = '']) => other.length - one.length)
    return mounts[0]?.[2] ?? 'unknown'
  } catch {
    return 'unknown'
  }
}

function flushMs(folder: string): number {
  const path = join(folder, `tutti-bench-flush-${process.pid}`)
  const file = openSync(path, 'wx')
  try {
    const block = Buffer.alloc(8192, 1)
    const times = Array.from({ length: 100 }, () => {
      const startedAt = performance.now()
      writeSync(file, block)
      fsyncSync(file)
      return performance.now() - startedAt
    })
    return median(times)
  } finally {
    closeSync(file)
    rmSync(path)
  }
}
