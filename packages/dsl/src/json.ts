/** A JSON value. Everything that enters or leaves this package is one. */
export type Json = null | boolean | number | string | JsonList | JsonObject
export type JsonList = readonly Json[]
export type JsonObject = { readonly [key: string]: Json }

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isList(value: Json | undefined): value is JsonList {
  return Array.isArray(value)
}

/** Own keys only: a blueprint may well name things `constructor` or `__proto__`. */
export function member<T>(object: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** Sets an own key, even `__proto__`. */
export function put<T>(object: { [key: string]: T }, key: string, value: T): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

/** An object with the same keys and other values. */
export function mapValues<T, R>(
  object: { readonly [key: string]: T },
  change: (value: T, key: string) => R,
): { [key: string]: R } {
  const changed: { [key: string]: R } = {}
  for (const key of Object.keys(object)) put(changed, key, change(object[key] as T, key))
  return changed
}

/** As `mapValues`, but the object itself when no value is another. Plans are big and change little. */
export function mapChanged<O extends { readonly [key: string]: unknown }>(
  object: O,
  change: (value: O[keyof O & string], key: string) => O[keyof O & string],
): O {
  let changed: { [key: string]: unknown } | null = null
  for (const key of Object.keys(object)) {
    const value = object[key] as O[keyof O & string]
    const next = change(value, key)
    if (next === value) continue
    changed ??= { ...object }
    put(changed, key, next)
  }
  return changed === null ? object : (changed as O)
}

/** As `map`, but the list itself when no item is another. */
export function mapItems<T>(list: readonly T[], change: (item: T, index: number) => T): readonly T[] {
  let changed: T[] | null = null
  for (const [index, item] of list.entries()) {
    const next = change(item, index)
    if (next === item) continue
    changed ??= [...list]
    changed[index] = next
  }
  return changed ?? list
}

/** Deep equality of JSON values; key order has no meaning. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (isList(a) && isList(b)) {
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]))
  }
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  )
}
