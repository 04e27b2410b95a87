import type { YamlNode } from '../yaml/node.ts'

const LIMIT = 200

/** A value in short text for messages; never more work than its length. */
export function summary(node: YamlNode): string {
  const text = write(node, LIMIT)
  return text.length > LIMIT ? `${text.slice(0, LIMIT)}…` : text
}

function write(node: YamlNode, room: number): string {
  if (node.kind === 'scalar') return node.type === 'string' ? node.value : String(node.value)
  const parts: string[] = []
  let left = room
  const items =
    node.kind === 'list'
      ? node.items.map((value) => ['', value] as const)
      : [...node.entries].map(([key, { value }]) => [`${key}: `, value] as const)
  for (const [prefix, value] of items) {
    if (left <= 0) break
    const part = `${prefix}${write(value, left)}`
    parts.push(part)
    left -= part.length
  }
  return node.kind === 'list' ? `[${parts.join(', ')}]` : `{${parts.join(', ')}}`
}
