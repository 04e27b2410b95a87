import type { BenchManager } from './manager.ts'
import { postgresPids, readStat } from './processes.ts'
import { round } from './statistics.ts'

/** Processor time in seconds: what something costs, even when other work on the machine stretches its time. */
export type Cpu = {
  /** The Node process with manager, worker and queue; operations' processes that have ended, too. */
  readonly node: number
  readonly postgres: number
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
  return { ...result, cpu: { node: spent('node'), postgres: spent('postgres'), client: spent('client') } }
}

async function cpuOf({ pid, dataFolder }: Pick<BenchManager, 'pid' | 'dataFolder'>): Promise<Cpu> {
  const [node, ...postgres] = await Promise.all([pid, ...(await postgresPids(dataFolder))].map(readStat))
  return {
    node: node?.cpuSeconds ?? 0,
    postgres: postgres.reduce((sum, stat) => sum + (stat?.cpuSeconds ?? 0), 0),
    client: ownCpuSeconds(),
  }
}

export function ownCpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000_000
}
