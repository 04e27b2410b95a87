/** What JSON calls an object, of which nothing else is known: what blueprints, clients and older releases have stored. */
export type JsonObject = Readonly<Record<string, unknown>>

/** The value where it is an object; else an empty one, in which nothing is found. */
export const asObject = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}

export const objectAt = (object: JsonObject, key: string): JsonObject => asObject(object[key])

/** Null where there is no text. */
export function textAt(object: JsonObject, key: string): string | null {
  const value = object[key]
  return typeof value === 'string' ? value : null
}
