import { isList, isObject, type Json } from '../json.ts'
import type { Plan } from '../plan/plan.ts'
import { type Call, callOf } from './call.ts'
import { eachPlace, type FunctionPlace } from './places.ts'

/** A function call of a plan and where it stands. */
export type PlacedCall = {
  readonly call: Call
  readonly place: FunctionPlace
  /**
   * Within the place, e.g. `nodes.vm.properties.ip.concat[1]` (docs/reference/language/functions.md, "Where functions
   * count").
   */
  readonly path: string
}

/**
 * Every function call where functions are looked for, outer before inner (docs/reference/language/functions.md, "Where
 * functions count").
 */
export function callsOf(plan: Plan): readonly PlacedCall[] {
  const calls: PlacedCall[] = []
  eachPlace(plan, (value, place) => collect(value, place.path, place, calls))
  return calls
}

function collect(value: Json, path: string, place: FunctionPlace, calls: PlacedCall[]): void {
  if (isList(value)) {
    for (const [index, item] of value.entries()) collect(item, `${path}[${index}]`, place, calls)
    return
  }
  if (!isObject(value)) return
  const call = callOf(value)
  if (call !== null) calls.push({ call, place, path })
  for (const [key, inner] of Object.entries(value)) collect(inner, `${path}.${key}`, place, calls)
}
