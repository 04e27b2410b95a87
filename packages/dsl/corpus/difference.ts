import { isList, isObject, type Json } from '../src/json.ts'

/** Where two values differ first. */
export type Difference = {
  readonly where: string
  readonly expected: Json | undefined
  readonly got: Json | undefined
}

/** Lists without an order of their own (corpus README). */
const UNORDERED =
  /(?:^|\.)(?:nodes|node_instances|plugins|[a-z_]*plugins_to_install|members|inter_deployment_functions)$/

/** Text that an author chooses freely. */
const FREE_TEXT: readonly string[] = ['description', 'display_label']

export function differenceOf(
  expected: Json | undefined,
  got: Json | undefined,
  rules: { readonly freeText: boolean },
  where = '',
): Difference | null {
  if (expected === '__unserialisable__') return null
  if (isList(expected) && isList(got)) {
    if (expected.length !== got.length)
      return { where: `${where}.length`, expected: names(expected), got: names(got) }
    const a = UNORDERED.test(where) ? sorted(expected) : expected
    const b = UNORDERED.test(where) ? sorted(got) : got
    for (const [index, item] of a.entries()) {
      const found = differenceOf(item, b[index], rules, `${where}.${index}`)
      if (found !== null) return found
    }
    return null
  }
  if (isObject(expected) && isObject(got)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(got)])) {
      if (!rules.freeText && FREE_TEXT.includes(key)) continue
      const found = differenceOf(expected[key], got[key], rules, where === '' ? key : `${where}.${key}`)
      if (found !== null) return found
    }
    return null
  }
  return Object.is(expected, got) ? null : { where, expected, got }
}

function names(list: readonly Json[]): Json {
  return list.map((item) => (isObject(item) ? (item.id ?? item.name ?? item) : item))
}

function sorted(list: readonly Json[]): readonly Json[] {
  return [...list].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
}

function sortKey(value: Json): string {
  if (!isObject(value)) return String(value)
  if (typeof value.id === 'string') return value.id
  return `${String(value.name ?? '')} ${String(value.executor ?? '')}`
}
