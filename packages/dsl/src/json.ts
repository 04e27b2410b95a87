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

/** An object from entries, in which even `__proto__` is a plain key. */
export function objectFrom<T>(entries: Iterable<readonly [string, T]>): { [key: string]: T } {
  return Object.fromEntries(entries)
}

export function mapValues<T, R>(
  object: { readonly [key: string]: T },
  change: (value: T, key: string) => R,
): { [key: string]: R } {
  return objectFrom(Object.entries(object).map(([key, value]) => [key, change(value, key)] as const))
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
