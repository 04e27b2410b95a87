import type { JsonValue } from './outcome.ts'

/** As deep as a request's body may be: whoever shows, stores or compares a deeper one runs out of stack. */
export const maxNesting = 500

export function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1))
}
