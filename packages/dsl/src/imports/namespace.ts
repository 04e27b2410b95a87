import { calledInNode } from '../functions/call.ts'
import type { Shape } from '../language/shape.ts'
import { isPrimitive } from '../types/primitive.ts'
import { listLike, mapLike, textLike, textOf, type YamlEntry, type YamlNode } from '../yaml/node.ts'

/**
 * A node with its definitions and references under a namespace such as `m--` (docs/reference/language/imports.md,
 * "Namespaces").
 */
export function underNamespace(node: YamlNode, shape: Shape, namespace: string): YamlNode {
  switch (shape.kind) {
    case 'anything':
      return shape.texts === undefined || textOf(node) === undefined
        ? functionsUnderNamespace(node, namespace)
        : prefixText(node, namespace)
    case 'collection':
      return node
    case 'scalar':
      return reference(node, shape, namespace)
    case 'list':
      if (node.kind !== 'list') return node
      return listLike(
        node,
        node.items.map((item) => underNamespace(item, shape.of, namespace)),
      )
    case 'map':
      if (node.kind !== 'map') return node
      return mapLike(
        node,
        [...node.entries].map(([key, entry]) => [
          shape.defines === true ? prefixed(key, namespace) : key,
          { key: entry.key, value: underNamespace(entry.value, shape.of, namespace) },
        ]),
      )
    case 'record':
      if (node.kind !== 'map') return node
      return mapLike(
        node,
        [...node.entries].map(([key, entry]): [string, YamlEntry] => {
          const field = Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined
          if (field === undefined) return [key, entry]
          return [key, { key: entry.key, value: underNamespace(entry.value, field.shape, namespace) }]
        }),
      )
    case 'either':
      return underNamespace(node, node.kind === 'scalar' ? shape.text : shape.map, namespace)
  }
}

/** What belongs to the product itself keeps its name in every namespace. */
export function prefixed(name: string, namespace: string): string {
  return name.startsWith('cloudify.') ? name : `${namespace}${name}`
}

function prefixText(node: YamlNode, namespace: string): YamlNode {
  const text = textOf(node)
  return text === undefined ? node : textLike(node, prefixed(text, namespace))
}

function reference(node: YamlNode, shape: Extract<Shape, { kind: 'scalar' }>, namespace: string): YamlNode {
  const text = textOf(node)
  if (text === undefined) return node
  switch (shape.refers) {
    case 'name':
      return prefixText(node, namespace)
    case 'type':
      return isPrimitive(text) ? node : prefixText(node, namespace)
    case 'implementation':
      return isOwnText(text) ? node : prefixText(node, namespace)
    default:
      return node
  }
}

/** An inline script or a URL is no name. An empty text is a no-op. */
function isOwnText(text: string): boolean {
  return text === '' || text.trim().includes('\n') || /^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text)
}

const KEYWORDS: readonly string[] = ['SELF', 'SOURCE', 'TARGET']

function functionsUnderNamespace(node: YamlNode, namespace: string): YamlNode {
  if (node.kind === 'scalar') return node
  if (node.kind === 'list') {
    return listLike(
      node,
      node.items.map((item) => functionsUnderNamespace(item, namespace)),
    )
  }
  const called = calledInNode(node)
  return mapLike(
    node,
    [...node.entries].map(([key, entry]): [string, YamlEntry] => [
      key,
      {
        key: entry.key,
        value:
          key === called
            ? argumentUnderNamespace(called, entry.value, namespace)
            : functionsUnderNamespace(entry.value, namespace),
      },
    ]),
  )
}

function argumentUnderNamespace(called: string, argument: YamlNode, namespace: string): YamlNode {
  const inner = functionsUnderNamespace(argument, namespace)
  const namesNode =
    called === 'get_property' ||
    called === 'get_attribute' ||
    called === 'get_attributes_list' ||
    called === 'get_attributes_dict'
  if (called !== 'get_input' && !namesNode) return inner
  if (inner.kind === 'scalar') return called === 'get_input' ? prefixText(inner, namespace) : inner
  if (inner.kind !== 'list') return inner
  const [first, ...rest] = inner.items
  if (first === undefined || (namesNode && KEYWORDS.includes(textOf(first) ?? ''))) return inner
  return listLike(inner, [prefixText(first, namespace), ...rest])
}
