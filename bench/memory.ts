import { readFile } from 'node:fs/promises'
import type { BenchManager } from './manager.ts'
import { postgresPids } from './processes.ts'
import { round } from './statistics.ts'

/** In MiB. */
export type Memory = {
  /** Resident memory of the Node process: manager, worker and queue. */
  readonly node: number
  /** Its highest so far. */
  readonly nodePeak: number
  /** Proportional set size of all PostgreSQL processes: shared memory is counted once. */
  readonly postgres: number
  readonly postgresProcesses: number
}

export async function memoryOf({ pid, dataFolder }: BenchManager): Promise<Memory> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const pids = await postgresPids(dataFolder)
  const sizes = await Promise.all(pids.map(proportionalKib))
  return {
    node: mebibytes(fieldOf(status, 'VmRSS')),
    nodePeak: mebibytes(fieldOf(status, 'VmHWM')),
    postgres: mebibytes(sizes.reduce((sum, size) => sum + size, 0)),
    postgresProcesses: pids.length,
  }
}

/** The most that was resident of one process. */
export async function peakMemoryMb(pid: number): Promise<number> {
  return mebibytes(fieldOf(await readFile(`/proc/${pid}/status`, 'utf8'), 'VmHWM'))
}

/** Memory that others share is counted in part. */
export const proportionalMb = async (pid: number): Promise<number> => mebibytes(await proportionalKib(pid))

/** Zero for a process that has just ended. */
async function proportionalKib(pid: number): Promise<number> {
  return fieldOf(await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => ''), 'Pss')
}

const fieldOf = (text: string, field: string): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0)

const mebibytes = (kib: number): number => round(kib / 1024, 1)
