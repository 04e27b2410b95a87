import type { BenchManager } from './manager.ts'
import { parentPids, postgresPids, readStat } from './processes.ts'
import { round } from './statistics.ts'

/** Processor time in seconds: what something costs, even when other work on the machine stretches its time. */
export type Cpu = {
  /** The Node process with manager, worker and queue. */
  readonly node: number
  readonly postgres: number
  /** Warm parents of operations and all that they have forked, if it has ended. */
  readonly operations: number
  /** This process: the client. */
  readonly client: number
}

/** What is spent while something runs. */
export async function withCpu<Result>(
  manager: Pick<BenchManager, 'pid' | 'dataFolder'>,
  run: () => Promise<Result>,
): Promise<Result & { readonly cpu: Cpu }> {
  const before = await cpuOf(manager)
  const result = await run()
  const after = await cpuOf(manager)
  const spent = (part: keyof Cpu) => round(after[part] - before[part], 2)
  const cpu = {
    node: spent('node'),
    postgres: spent('postgres'),
    operations: spent('operations'),
    client: spent('client'),
  }
  return { ...result, cpu }
}

async function cpuOf({ pid, dataFolder }: Pick<BenchManager, 'pid' | 'dataFolder'>): Promise<Cpu> {
  const sum = async (pids: readonly number[]) =>
    (await Promise.all(pids.map(readStat))).reduce((seconds, stat) => seconds + (stat?.cpuSeconds ?? 0), 0)
  return {
    node: await sum([pid]),
    postgres: await sum(await postgresPids(dataFolder)),
    operations: await sum(await parentPids(pid)),
    client: ownCpuSeconds(),
  }
}

export function ownCpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000_000
}
