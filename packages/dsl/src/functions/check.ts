import { DslError } from '../diagnostic.ts'
import { isOlder, type Version, versionText } from '../language/version.ts'
import type { Plan } from '../plan/plan.ts'
import { nodePlace, type YamlNode } from '../yaml/node.ts'
import type { PlacedCall } from './calls.ts'
import { type CheckScope, shortText } from './definition.ts'
import { FUNCTION_SINCE } from './names.ts'
import type { FunctionPlace } from './places.ts'
import { FUNCTIONS } from './table.ts'

/** Deeper nesting ends creation too (docs/reference/language/functions.md, "At creation"). */
export const MAX_NESTING = 50

export type FunctionCheck = {
  readonly gates: Version | null
  readonly origins: ReadonlyMap<object, YamlNode>
  readonly report: (error: DslError) => void
}

/** Checks every function of a plan where it stands (docs/reference/language/functions.md, "The functions", phase P). */
export function checkFunctions(plan: Plan, calls: readonly PlacedCall[], check: FunctionCheck): void {
  const nodes = new Map(plan.nodes.map((node) => [node.name, node.properties]))
  const scopeOf = (place: FunctionPlace, path: string): CheckScope => ({
    path,
    scope: place.scope,
    hasInput: (name) => Object.hasOwn(plan.inputs, name),
    nodeProperties: (node) => nodes.get(node) ?? null,
  })
  const reported = new Set<string>()
  for (const { call, place, path } of calls) {
    try {
      const since = FUNCTION_SINCE[call.name]
      if (since !== undefined && check.gates !== null && isOlder(check.gates, since)) {
        throw new DslError(
          'FunctionValidationError',
          `Unable to validate ${call.name} function: it is supported since ${versionText(since)}.`,
        )
      }
      FUNCTIONS[call.name].check(call, scopeOf(place, path))
    } catch (error) {
      if (!(error instanceof DslError)) throw error
      const origin = check.origins.get(call.written)
      // An operation stands in the plan under two names; its mistakes are reported once.
      const key = origin === undefined ? path : `${origin.source.address}:${origin.offset}:${error.message}`
      if (reported.has(key)) continue
      reported.add(key)
      check.report(
        new DslError(error.errorClass, error.message, {
          place: origin === undefined ? null : nodePlace(origin),
          path,
          value: shortText(call.written),
        }),
      )
    }
  }
}
