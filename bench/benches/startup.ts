import { benchFolder } from '../folder.ts'
import { startManager } from '../manager.ts'
import { median, round } from '../statistics.ts'

export type StartupResult = {
  /** A new data folder: PostgreSQL's programs are copied, initdb runs, tables are made. */
  readonly firstMs: readonly number[]
  /** An existing data folder after a clean stop. */
  readonly againMs: readonly number[]
  /** After the manager was killed: its PostgreSQL still runs and is taken over. */
  readonly afterKillMs: readonly number[]
  readonly medianFirstMs: number
  readonly medianAgainMs: number
  readonly medianAfterKillMs: number
}

/** From the start of the `tutti serve` process until it says that it serves. */
export async function benchStartup(runs: number): Promise<StartupResult> {
  const [firstMs, againMs, afterKillMs]: [number[], number[], number[]] = [[], [], []]
  for (let run = 0; run < runs; run += 1) {
    const folder = await benchFolder()
    try {
      const first = await startManager({ dataFolder: folder.path })
      firstMs.push(round(first.startMs))
      await first.stop()
      const again = await startManager({ dataFolder: folder.path })
      againMs.push(round(again.startMs))
      await again.kill()
      const afterKill = await startManager({ dataFolder: folder.path })
      afterKillMs.push(round(afterKill.startMs))
      await afterKill.stop()
    } finally {
      await folder.remove()
    }
  }
  return {
    firstMs,
    againMs,
    afterKillMs,
    medianFirstMs: median(firstMs),
    medianAgainMs: median(againMs),
    medianAfterKillMs: median(afterKillMs),
  }
}
