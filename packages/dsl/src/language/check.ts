import { type DslError, formatError, type Place } from '../diagnostic.ts'
import {
  isNull,
  kindOf,
  nodePlace,
  type Standing,
  type YamlList,
  type YamlMap,
  type YamlNode,
} from '../yaml/node.ts'
import type { Field, Shape } from './shape.ts'
import { nearest } from './suggest.ts'
import { summary } from './summary.ts'
import { isTooNew, tooNew, type Version } from './version.ts'

export interface ShapeCheck {
  /** Of the main file; null switches the gates off. */
  readonly version: Version | null
  readonly report: (error: DslError, path: readonly string[]) => void
  /** For what is right in form but newer than the version. */
  readonly reportTooNew: (error: DslError) => void
}

/** Reports everything in `node` that does not have the shape (dsl.md 2, 3). */
export function checkShape(
  node: YamlNode,
  shape: Shape,
  path: readonly string[],
  check: ShapeCheck,
  at: Standing = node,
): void {
  switch (shape.kind) {
    case 'anything':
      break
    case 'collection':
      if (node.kind === 'scalar') wrongKind(node, 'dict or list', path, check, at)
      break
    case 'scalar':
      if (node.kind !== 'scalar' || !(shape.types as readonly string[]).includes(node.type)) {
        wrongKind(node, shape.types.length > 1 ? 'number' : (shape.types[0] ?? ''), path, check, at)
      }
      break
    case 'list':
      if (node.kind === 'list') checkList(node, shape, path, check, at)
      else wrongKind(node, 'list', path, check, at)
      break
    case 'map':
      if (node.kind === 'map') checkMap(node, shape.of, path, check)
      else wrongKind(node, 'dict', path, check, at)
      break
    case 'record':
      if (node.kind === 'map') checkRecord(node, shape.fields, path, check, at)
      else wrongKind(node, 'dict', path, check, at)
      break
    case 'either':
      checkShape(node, node.kind === 'scalar' ? shape.text : shape.map, path, check, at)
      break
  }
}

function checkList(
  node: YamlList,
  shape: Extract<Shape, { kind: 'list' }>,
  path: readonly string[],
  check: ShapeCheck,
  at: Standing,
): void {
  if (shape.atLeast !== undefined && node.items.length < shape.atLeast.count) {
    const details = { place: nodePlace(at), path: path.join('.'), value: summary(node) }
    check.report(formatError(1, shape.atLeast.message, details), path)
  }
  for (const [index, item] of node.items.entries()) {
    checkShape(item, shape.of, [...path, String(index)], check)
  }
}

function checkMap(node: YamlMap, of: Shape, path: readonly string[], check: ShapeCheck): void {
  checkKeys(node, path, check)
  for (const [key, entry] of node.entries) {
    const here = [...path, key]
    if (!isNull(entry.value)) checkShape(entry.value, of, here, check, entry.key)
    // A null element has none of its fields, some of which may be required.
    else if (of.kind !== 'scalar') checkShape(emptyMap(node), of, here, check, entry.key)
  }
}

type Details = { readonly place: Place; readonly path: string; readonly value: string }

function emptyMap(like: YamlMap): YamlMap {
  return { ...like, entries: new Map() }
}

function checkRecord(
  node: YamlMap,
  fields: { readonly [key: string]: Field },
  path: readonly string[],
  check: ShapeCheck,
  at: Standing,
): void {
  checkKeys(node, path, check)
  for (const [key, { key: keyNode, value }] of node.entries) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined
    const here = [...path, key]
    const details = (): Details => ({
      place: nodePlace(keyNode),
      path: here.join('.'),
      value: summary(value),
    })
    if (field === undefined) {
      const suggestion = nearest(key, Object.keys(fields))
      const expected = `one of ${Object.keys(fields).join(', ')}`
      check.report(
        formatError(1, `'${key}' is not known here.`, { ...details(), expected, suggestion }),
        here,
      )
      continue
    }
    if (isNull(value)) continue
    if (isTooNew(field.since, check.version))
      check.reportTooNew(tooNew(key, field.since, check.version, details()))
    checkShape(value, field.shape, here, check, keyNode)
  }
  for (const [key, field] of Object.entries(fields)) {
    if (field.required !== true || !isNull(node.entries.get(key)?.value)) continue
    const here = [...path, key]
    check.report(
      formatError(1, `'${key}' is required but missing.`, {
        place: nodePlace(at),
        path: here.join('.'),
        value: 'None',
      }),
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
  at: Standing,
): void {
  check.report(
    formatError(1, `Expected a ${expected} but found a ${kindOf(node)}.`, {
      place: nodePlace(at),
      path: path.join('.'),
      value: summary(node),
      expected,
    }),
    path,
  )
}
