import type { Json } from '../json.ts'

/** A value as Python's `str` writes it: what `concat` joins (docs/reference/language/functions.md, "The functions"). */
export function pythonText(value: Json): string {
  return typeof value === 'string' ? value : pythonRepr(value)
}

function pythonRepr(value: Json): string {
  if (value === null) return 'None'
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(', ')}]`
  const members = Object.entries(value).map(([key, inner]) => `${quoted(key)}: ${pythonRepr(inner)}`)
  return `{${members.join(', ')}}`
}

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll(quote, `\\${quote}`)
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
  return `${quote}${escaped}${quote}`
}
