import { tieredBlueprint } from '../blueprints/tiers.ts'
import { uploadBlueprint } from '../blueprints/upload.ts'
import { type Cpu, withCpu } from '../cpu.ts'
import type { BenchManager } from '../manager.ts'
import { median, round } from '../statistics.ts'
import { install } from './workflow.ts'

export type TiersRun = {
  /** Rows of the tasks graph that were stored, started and ended. */
  readonly operations: number
  readonly events: number
  /** From `started_at` to `ended_at` of the execution. */
  readonly installMs: number
  readonly operationsPerSecond: number
  readonly cpu: Cpu
}

export type TiersResult = {
  readonly tiers: number
  readonly instances: number
  readonly implements: string
  readonly runs: readonly TiersRun[]
  readonly medianOperationsPerSecond: number
}

export type TiersOptions = {
  readonly id: string
  readonly tiers: number
  readonly instancesPerTier: number
  readonly hasScript: boolean
  readonly runs: number
}

const script = 'scripts/nothing.py'

/** Installs deployments of many instances one after another, and counts what the tasks graphs stored. */
export async function benchTiers(manager: BenchManager, options: TiersOptions): Promise<TiersResult> {
  const { client } = manager
  const { id, tiers, instancesPerTier, hasScript } = options
  await uploadBlueprint(client, id, {
    'blueprint.yaml': tieredBlueprint(tiers, instancesPerTier, hasScript ? script : undefined),
    ...(hasScript && { [script]: '' }),
  })
  const runs: TiersRun[] = []
  for (let run = 0; run < options.runs; run += 1) {
    const deployment = `${id}-${run}`
    await client.deployments.create(deployment, { blueprintId: id })
    const { cpu, ...execution } = await withCpu(manager, () => install(client, deployment))
    const query = { execution_id: execution.id, _size: 1 }
    const { total: events } = (await client.events.list({ query })).metadata.pagination
    const installMs = Date.parse(execution.ended_at ?? '') - Date.parse(execution.started_at ?? '')
    runs.push({
      operations: execution.finished_operations,
      events,
      installMs,
      operationsPerSecond: round(execution.finished_operations / (installMs / 1000)),
      cpu,
    })
  }
  return {
    tiers,
    instances: tiers * instancesPerTier,
    implements: hasScript ? 'create, by an empty Python script' : 'nothing',
    runs,
    medianOperationsPerSecond: median(runs.map((run) => run.operationsPerSecond)),
  }
}
