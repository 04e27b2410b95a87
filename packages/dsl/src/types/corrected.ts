import type { Json } from '../json.ts'

/**
 * Text turned into the declared type where it reads as one (docs/reference/language/inputs.md, "Values of a
 * deployment", `auto_correct_types`).
 */
export function correctedType(value: Json, type: string | undefined): Json {
  if (typeof value !== 'string') return value
  if (type === 'integer' && /^\s*[+-]?\d+\s*$/.test(value)) return Number(value)
  if (type === 'float' && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value)
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  return value
}
