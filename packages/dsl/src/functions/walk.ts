import { isList, isObject, type Json, member } from '../json.ts'
import { shortText } from './definition.ts'

/** Why a path could not be followed, with the step that failed. */
export type Stuck = {
  readonly problem: string
}

/**
 * Follows keys and indexes into a value. An index may be digits. `step` sees each value before it is entered,
 * so that a function there can be evaluated first.
 */
export function followPath(
  value: Json,
  path: readonly Json[],
  step: (value: Json) => Json = (unchanged) => unchanged,
): { readonly value: Json } | Stuck {
  let at = value
  for (const [index, key] of path.entries()) {
    at = step(at)
    if (isList(at)) {
      const position = listIndex(key)
      if (position === null) {
        return { problem: `item ${index} of the path, ${shortText(key)}, is expected to be an int.` }
      }
      const item = at[position < 0 ? at.length + position : position]
      if (item === undefined)
        return { problem: `the list has ${at.length} items but index ${position} is wanted.` }
      at = item
    } else if (isObject(at)) {
      const found = member(at, String(key))
      if (found === undefined) return { problem: `'${String(key)}' doesn't exist.` }
      at = found
    } else {
      return { problem: `'${String(key)}' doesn't exist: the value before it is neither a dict nor a list.` }
    }
  }
  return { value: at }
}

export function listIndex(key: Json): number | null {
  if (typeof key === 'number' && Number.isInteger(key)) return key
  if (typeof key === 'string' && /^-?\d+$/.test(key)) return Number(key)
  return null
}
