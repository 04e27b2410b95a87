import type { Version } from '../language/version.ts'

/**
 * Every function of the language and the version that brought it (docs/reference/language/README.md, "Versions";
 * docs/reference/language/functions.md, "The functions").
 */
export const FUNCTION_NAMES = [
  'get_input',
  'get_property',
  'get_attribute',
  'get_attributes_list',
  'get_attributes_dict',
  'get_secret',
  'get_capability',
  'get_environment_capability',
  'get_group_capability',
  'get_label',
  'get_sys',
  'get_consumers',
  'concat',
  'merge',
  'string_find',
  'string_replace',
  'string_split',
  'string_lower',
  'string_upper',
] as const

export type FunctionName = (typeof FUNCTION_NAMES)[number]

export const FUNCTION_SINCE: { readonly [name in FunctionName]?: Version } = { concat: [1, 1], merge: [1, 3] }

const names: ReadonlySet<string> = new Set(FUNCTION_NAMES)

/**
 * The function that a dict with these keys calls (docs/reference/language/functions.md, "Calls"): one key that is a
 * function's name, alone or beside `type`. Of two function keys the second counts.
 */
export function calledFunction(keys: readonly string[]): FunctionName | null {
  const [first, second] = keys
  if (first === undefined || keys.length > 2) return null
  if (second === undefined) return asFunctionName(first)
  if (first === 'type') return asFunctionName(second)
  if (second === 'type') return asFunctionName(first)
  return names.has(first) ? asFunctionName(second) : null
}

function asFunctionName(key: string): FunctionName | null {
  return names.has(key) ? (key as FunctionName) : null
}
