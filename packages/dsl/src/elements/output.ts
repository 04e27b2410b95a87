import type { JsonObject } from '../json.ts'
import { type Build, sectionEntries } from '../language/build.ts'
import { anything, definitions, optional, record, required, text } from '../language/shape.ts'
import type { PlanOutput } from '../plan/plan.ts'
import { isNull, mapLike, toJson } from '../yaml/node.ts'

/** `outputs` and `capabilities` (docs/reference/language/workflows-and-settings.md, "Outputs and capabilities") */
export const outputsShape = definitions(record({ value: required(anything), description: optional(text) }))

export function planOutputs(
  build: Build,
  section: 'outputs' | 'capabilities',
): { readonly [name: string]: PlanOutput } {
  const plan: { [name: string]: PlanOutput } = {}
  for (const [name, node] of sectionEntries(build, section)) {
    if (node.kind !== 'map') continue
    const entries = [...node.entries].filter(([, { value }]) => !isNull(value))
    plan[name] = toJson(mapLike(node, entries), build.conversion) as JsonObject & PlanOutput
  }
  return plan
}
