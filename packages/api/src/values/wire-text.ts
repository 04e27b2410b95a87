/** A JSON value as messages print it, in the form that clients have always seen: `{'key': ['a', None]}`. */
export function wireText(value: unknown): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `[${value.map(wireText).join(', ')}]`
  if (typeof value !== 'object') return String(value)
  const members = Object.entries(value).map(([key, inner]) => `${quoted(key)}: ${wireText(inner)}`)
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
