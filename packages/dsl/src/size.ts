import type { Json, JsonObject } from './json.ts'

/** Sizes of values that are shared: a value used twice counts twice but is walked once. */
export type Sizes = Map<object, number>

/** Characters of text that weigh as much as one value. */
const TEXT_UNIT = 16

/**
 * How many values a JSON value has when it is written out. References between values can make it exponentially
 * larger than what was written; whoever builds values from references checks this.
 */
export function sizeOf(value: Json, sizes: Sizes): number {
  if (typeof value === 'string') return 1 + value.length / TEXT_UNIT
  if (typeof value !== 'object' || value === null) return 1
  const known = sizes.get(value)
  if (known !== undefined) return known
  let size = 1
  if (Array.isArray(value)) for (const inner of value) size += sizeOf(inner, sizes)
  else {
    const object = value as JsonObject
    for (const key in object) size += sizeOf(object[key] as Json, sizes)
  }
  sizes.set(value, size)
  return size
}

/** Whether a value is nested deeper than a limit. */
export function isDeeperThan(value: Json, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (limit <= 0) return true
  return (Array.isArray(value) ? value : Object.values(value)).some((inner) => isDeeperThan(inner, limit - 1))
}
