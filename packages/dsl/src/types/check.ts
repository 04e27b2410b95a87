import { isCallNode } from '../functions/call.ts'
import { pythonRegex } from '../regex/match.ts'
import { kindOf, type YamlNode } from '../yaml/node.ts'

/**
 * What is found instead when a value does not fit a primitive type, else null (docs/reference/language/types.md,
 * "Primitive types").
 */
export function misfit(node: YamlNode, type: string): string | null {
  if (isCallNode(node)) return null
  const kind = kindOf(node)
  switch (type) {
    case 'integer':
    case 'boolean':
    case 'list':
    case 'dict':
      return kind === type ? null : kind
    case 'float':
      return kind === 'integer' || kind === 'float' ? null : kind
    case 'regex':
      return node.kind === 'scalar' && node.type === 'string' && pythonRegex(node.value) !== null
        ? null
        : kind
    default:
      // Text and everything that names an object accepts anything [Q].
      return null
  }
}
