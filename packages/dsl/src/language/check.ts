import { type DslError, type ErrorDetails, formatError } from '../diagnostic.ts'
import {
  isNull,
  kindOf,
  nodePlace,
  type Standing,
  type YamlList,
  type YamlMap,
  type YamlNode,
  type YamlScalar,
} from '../yaml/node.ts'
import type { Field, Shape } from './shape.ts'
import { nearest } from './suggest.ts'
import { summary } from './summary.ts'
import { isTooNew, tooNew, type Version } from './version.ts'

export type ShapeCheck = {
  /** Of the main file; null switches the gates off. */
  readonly version: Version | null
  /** `path` is where the mistake stands; it is not to be kept. */
  readonly report: (error: DslError, path: readonly string[]) => void
  /** For what is right in form but newer than the version. */
  readonly reportTooNew: (error: DslError) => void
}

/**
 * Reports everything in `node` that does not have the shape (docs/reference/language/README.md, "YAML" and "Versions").
 */
export function checkShape(node: YamlNode, shape: Shape, check: ShapeCheck): void {
  walk(node, shape, node, { ...check, path: [] })
}

interface Walk extends ShapeCheck {
  /** Grows and shrinks as the walk goes down and up. */
  readonly path: string[]
}

/** `at` is where the element begins: at its key, if it has one. */
function walk(node: YamlNode, shape: Shape, at: Standing, check: Walk): void {
  switch (shape.kind) {
    case 'anything':
      break
    case 'collection':
      if (node.kind === 'scalar') wrongKind(node, 'dict or list', at, check)
      break
    case 'scalar':
      if (node.kind !== 'scalar' || !(shape.types as readonly string[]).includes(node.type)) {
        wrongKind(node, shape.types.length > 1 ? 'number' : (shape.types[0] ?? ''), at, check)
      } else if (shape.refers !== 'implementation') checkLength(node, at, check)
      break
    case 'list':
      if (node.kind === 'list') walkList(node, shape, at, check)
      else wrongKind(node, 'list', at, check)
      break
    case 'map':
      if (node.kind === 'map') walkMap(node, shape.of, check)
      else wrongKind(node, 'dict', at, check)
      break
    case 'record':
      if (node.kind === 'map') walkRecord(node, shape.fields, at, check)
      else wrongKind(node, 'dict', at, check)
      break
    case 'either':
      walk(node, node.kind === 'scalar' ? shape.text : shape.map, at, check)
      break
  }
}

function walkList(node: YamlList, shape: Extract<Shape, { kind: 'list' }>, at: Standing, check: Walk): void {
  if (shape.atLeast !== undefined && node.items.length < shape.atLeast.count) {
    report(check, shape.atLeast.message, at, { value: summary(node) })
  }
  for (const [index, item] of node.items.entries()) {
    check.path.push(String(index))
    walk(item, shape.of, item, check)
    check.path.pop()
  }
}

function walkMap(node: YamlMap, of: Shape, check: Walk): void {
  checkKeys(node, check)
  for (const [name, { key, value }] of node.entries) {
    // A null element has none of its fields, some of which may be required.
    if (isNull(value) && of.kind === 'scalar') continue
    check.path.push(name)
    walk(isNull(value) ? { ...node, entries: new Map() } : value, of, key, check)
    check.path.pop()
  }
}

function walkRecord(
  node: YamlMap,
  fields: { readonly [key: string]: Field },
  at: Standing,
  check: Walk,
): void {
  checkKeys(node, check)
  for (const [name, { key, value }] of node.entries) {
    check.path.push(name)
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field === undefined) {
      const names = Object.keys(fields)
      report(check, `'${name}' is not known here.`, key, {
        value: summary(value),
        expected: `one of ${names.join(', ')}`,
        suggestion: nearest(name, names),
      })
    } else if (!isNull(value)) {
      if (isTooNew(field.since, check.version)) {
        const where = { place: nodePlace(key), path: check.path.join('.'), value: summary(value) }
        check.reportTooNew(tooNew(name, field.since, check.version, where))
      }
      walk(value, field.shape, key, check)
    }
    check.path.pop()
  }
  for (const name in fields) {
    if (fields[name]?.required !== true || !isNull(node.entries.get(name)?.value)) continue
    check.path.push(name)
    report(check, `'${name}' is required but missing.`, at, { value: 'None' })
    check.path.pop()
  }
}

function checkKeys(node: YamlMap, check: Walk): void {
  for (const { key } of node.entries.values()) {
    if (key.type === 'string') continue
    const text = String(key.value)
    report(check, `The key ${text} must be a string but is ${kindOf(key)}: put it in quotes.`, key, {
      expected: `'${text}'`,
    })
  }
}

/** Descriptions, names and addresses go into lists and messages; scripts and values of properties do not. */
const LONGEST_TEXT = 100_000

function checkLength({ value }: YamlScalar, at: Standing, check: Walk): void {
  if (typeof value !== 'string' || value.length <= LONGEST_TEXT) return
  report(check, `The text has ${value.length} characters, more than ${LONGEST_TEXT}.`, at, {})
}

function wrongKind(node: YamlNode, expected: string, at: Standing, check: Walk): void {
  report(check, `Expected a ${expected} but found a ${kindOf(node)}.`, at, { value: summary(node), expected })
}

function report(check: Walk, message: string, at: Standing, details: ErrorDetails): void {
  const path = check.path.join('.')
  check.report(formatError(1, message, { place: nodePlace(at), path, ...details }), check.path)
}
