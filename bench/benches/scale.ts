import { tieredBlueprint } from '../blueprints/tiers.ts'
import { uploadBlueprint } from '../blueprints/upload.ts'
import type { BenchManager } from '../manager.ts'
import { median } from '../statistics.ts'
import { install, runToEnd } from './workflow.ts'

export type ScaleResult = {
  /** Before, of one tier. */
  readonly instances: number
  readonly delta: number
  readonly runs: readonly { readonly outMs: number; readonly inMs: number }[]
  readonly medianOutMs: number
  readonly medianInMs: number
}

const id = 'scaled'

/** Scales the upper of two tiers of no-op instances out and in again, from `started_at` to `ended_at`. */
export async function benchScale(
  { client }: BenchManager,
  options: { readonly instances: number; readonly delta: number; readonly runs: number },
): Promise<ScaleResult> {
  const { instances, delta } = options
  await uploadBlueprint(client, id, { 'blueprint.yaml': tieredBlueprint(2, instances, undefined) })
  await client.deployments.create(id, { blueprintId: id })
  await install(client, id)
  const scaled = async (by: number) => {
    const parameters = { scalable_entity_name: 'tier_1', delta: by }
    const { started_at, ended_at } = await runToEnd(client, id, 'scale', parameters)
    return Date.parse(ended_at ?? '') - Date.parse(started_at ?? '')
  }
  const runs: ScaleResult['runs'][number][] = []
  for (let run = 0; run < options.runs; run += 1) {
    runs.push({ outMs: await scaled(delta), inMs: await scaled(-delta) })
  }
  return {
    instances,
    delta,
    runs,
    medianOutMs: median(runs.map(({ outMs }) => outMs)),
    medianInMs: median(runs.map(({ inMs }) => inMs)),
  }
}
