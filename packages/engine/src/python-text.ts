import type { JsonValue } from './json.ts'

/** A value as Python's `str()` prints it: event texts carry values in that form. */
export function pythonText(value: JsonValue): string {
  return typeof value === 'string' ? value : pythonRepr(value)
}

function pythonRepr(value: JsonValue): string {
  if (value === null) return 'None'
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(', ')}]`
  const entries = Object.entries(value).map(([key, item]) => `${quoted(key)}: ${pythonRepr(item)}`)
  return `{${entries.join(', ')}}`
}

function quoted(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
  if (escaped.includes("'") && !escaped.includes('"')) return `"${escaped}"`
  return `'${escaped.replaceAll("'", "\\'")}'`
}

/** Whether Python's `bool()` of the value is false. */
export function isFalsy(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return !value
  return Object.keys(value).length === 0
}
