import type { BenchManager } from './manager.ts'
import { postgresPids, readStat } from './processes.ts'
import { round } from './statistics.ts'

/** Processor time in seconds: what an operation costs even when other work on the machine stretches its time. */
export type Cpu = {
  /** The Node process with manager, worker and queue; operations' processes that have ended, too. */
  readonly node: number
  readonly postgres: number
}

/** What the manager and its database spend while something runs. */
export async function withCpu<Result>(
  manager: BenchManager,
  run: () => Promise<Result>,
): Promise<Result & { readonly cpu: Cpu }> {
  const before = await cpuOf(manager)
  const result = await run()
  const after = await cpuOf(manager)
  const cpu = {
    node: round(after.node - before.node, 2),
    postgres: round(after.postgres - before.postgres, 2),
  }
  return { ...result, cpu }
}

async function cpuOf({ pid, dataFolder }: BenchManager): Promise<Cpu> {
  const [node, ...postgres] = await Promise.all([pid, ...(await postgresPids(dataFolder))].map(readStat))
  return {
    node: node?.cpuSeconds ?? 0,
    postgres: postgres.reduce((sum, stat) => sum + (stat?.cpuSeconds ?? 0), 0),
  }
}
