/** A parsed query string: a repeated key is a list. */
export type QueryValues = Readonly<Record<string, string | readonly string[] | undefined>>

/** Every value of a key, in the order given. */
export function allValues(query: QueryValues, key: string): readonly string[] {
  const value = query[key]
  if (value === undefined) return []
  return typeof value === 'string' ? [value] : value
}

/** The value of a key that is meant to be given once: of several the first counts, whatever the others are. */
export const firstValue = (query: QueryValues, key: string): string | undefined => allValues(query, key)[0]
