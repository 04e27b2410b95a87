import { type DslError, formatError, type Place } from '../diagnostic.ts'
import { isNull, kindOf, nodePlace, type YamlMap, type YamlNode } from '../yaml/node.ts'
import type { Field, Shape } from './shape.ts'
import { nearest } from './suggest.ts'
import { summary } from './summary.ts'
import { checkSince, type Version } from './version.ts'

export interface ShapeCheck {
  /** Of the main file; null switches the gates off. */
  readonly version: Version | null
  readonly report: (error: DslError, path: readonly string[]) => void
}

/** Reports everything in `node` that does not have the shape (dsl.md 2, 3). */
export function checkShape(
  node: YamlNode,
  shape: Shape,
  path: readonly string[],
  check: ShapeCheck,
  place: Place = nodePlace(node),
): void {
  switch (shape.kind) {
    case 'anything':
      return
    case 'scalar':
      if (node.kind === 'scalar' && (shape.types as readonly string[]).includes(node.type)) return
      return wrongKind(node, shape.types.length > 1 ? 'number' : (shape.types[0] ?? ''), path, check, place)
    case 'list': {
      if (node.kind !== 'list') return wrongKind(node, 'list', path, check, place)
      if (shape.atLeast !== undefined && node.items.length < shape.atLeast.count) {
        check.report(
          formatError(1, shape.atLeast.message, { place, path: path.join('.'), value: summary(node) }),
          path,
        )
      }
      node.items.forEach((item, index) => {
        checkShape(item, shape.of, [...path, String(index)], check)
      })
      return
    }
    case 'map':
      if (node.kind !== 'map') return wrongKind(node, 'dict', path, check, place)
      checkKeys(node, path, check)
      for (const [key, entry] of node.entries) {
        const value = isNull(entry.value) ? { ...emptyMap(node), offset: entry.value.offset } : entry.value
        if (isNull(entry.value) && shape.of.kind === 'scalar') continue
        checkShape(value, shape.of, [...path, key], check, nodePlace(entry.key))
      }
      return
    case 'record':
      if (node.kind !== 'map') return wrongKind(node, 'dict', path, check, place)
      return checkRecord(node, shape.fields, path, check, place)
    case 'either':
      return checkShape(node, node.kind === 'scalar' ? shape.text : shape.map, path, check, place)
  }
}

function emptyMap(like: YamlMap): YamlMap {
  return { ...like, entries: new Map() }
}

function checkRecord(
  node: YamlMap,
  fields: { readonly [key: string]: Field },
  path: readonly string[],
  check: ShapeCheck,
  place: Place,
): void {
  checkKeys(node, path, check)
  for (const [key, { key: keyNode, value }] of node.entries) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined
    const here = [...path, key]
    const at = { place: nodePlace(keyNode), path: here.join('.'), value: summary(value) }
    if (field === undefined) {
      const suggestion = nearest(key, Object.keys(fields))
      const expected = `one of ${Object.keys(fields).join(', ')}`
      check.report(formatError(1, `'${key}' is not known here.`, { ...at, expected, suggestion }), here)
      continue
    }
    if (isNull(value)) continue
    try {
      checkSince(key, field.since, check.version, at)
    } catch (error) {
      check.report(error as DslError, here)
      continue
    }
    checkShape(value, field.shape, here, check, nodePlace(keyNode))
  }
  for (const [key, field] of Object.entries(fields)) {
    if (field.required !== true || !isNull(node.entries.get(key)?.value)) continue
    const here = [...path, key]
    check.report(
      formatError(1, `'${key}' is required but missing.`, { place, path: here.join('.'), value: 'None' }),
      here,
    )
  }
}

function checkKeys(node: YamlMap, path: readonly string[], check: ShapeCheck): void {
  for (const { key } of node.entries.values()) {
    if (key.type === 'string') continue
    check.report(
      formatError(
        1,
        `The key ${String(key.value)} must be a string but is ${kindOf(key)}: put it in quotes.`,
        {
          place: nodePlace(key),
          path: path.join('.'),
          expected: `'${String(key.value)}'`,
        },
      ),
      path,
    )
  }
}

function wrongKind(
  node: YamlNode,
  expected: string,
  path: readonly string[],
  check: ShapeCheck,
  place: Place,
): void {
  check.report(
    formatError(1, `Expected a ${expected} but found a ${kindOf(node)}.`, {
      place,
      path: path.join('.'),
      value: summary(node),
      expected,
    }),
    path,
  )
}
