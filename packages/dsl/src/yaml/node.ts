import type { Place } from '../diagnostic.ts'
import { formatError } from '../diagnostic.ts'
import type { Json } from '../json.ts'
import { type JsonObject, put } from '../json.ts'
import { placeOf, type Source } from './source.ts'

/**
 * A YAML value that remembers where it stands and what kind of scalar it was (`5.0` is no integer, and a
 * date is not text, though JSON has neither). Values stay nodes until the plan is written, so that every
 * message can name a line. Aliases share nodes.
 */
export type YamlNode = YamlScalar | YamlList | YamlMap

/** A place in a file, not yet counted out. */
export type Standing = {
  readonly source: Source
  readonly offset: number
}

export type YamlScalar = Standing & { readonly kind: 'scalar' } & ScalarValue

export type ScalarValue =
  | { readonly type: 'null'; readonly value: null }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'integer' | 'float'; readonly value: number }
  | { readonly type: 'string' | 'date'; readonly value: string }

export interface YamlList extends Standing {
  readonly kind: 'list'
  readonly items: readonly YamlNode[]
}

export interface YamlMap extends Standing {
  readonly kind: 'map'
  readonly entries: ReadonlyMap<string, YamlEntry>
}

export type YamlEntry = {
  readonly key: YamlScalar
  readonly value: YamlNode
}

export function nodePlace(node: Standing): Place {
  return placeOf(node.source, node.offset)
}

/** Kind of a value in the words of the language: `string`, `integer`, `dict`, … */
export function kindOf(node: YamlNode): string {
  if (node.kind === 'map') return 'dict'
  return node.kind === 'list' ? 'list' : node.type
}

export function isNull(node: YamlNode | undefined): node is undefined | (YamlScalar & { type: 'null' }) {
  return node === undefined || (node.kind === 'scalar' && node.type === 'null')
}

/**
 * The member, unless it is absent or null: a null value counts as absent (docs/reference/language/README.md, "YAML").
 */
export function given(map: YamlMap | undefined, key: string): YamlNode | undefined {
  const node = map?.entries.get(key)?.value
  return isNull(node) ? undefined : node
}

export function givenMap(map: YamlMap | undefined, key: string): YamlMap | undefined {
  const node = given(map, key)
  return node?.kind === 'map' ? node : undefined
}

export function givenItems(map: YamlMap | undefined, key: string): readonly YamlNode[] {
  const node = given(map, key)
  return node?.kind === 'list' ? node.items : []
}

export function textOf(node: YamlNode | undefined): string | undefined {
  return node?.kind === 'scalar' && node.type === 'string' ? node.value : undefined
}

export function givenText(map: YamlMap | undefined, key: string): string | undefined {
  return textOf(given(map, key))
}

/** Text of a field, or null: how plans show optional texts. */
export function textOrNull(map: YamlMap | undefined, key: string): string | null {
  return givenText(map, key) ?? null
}

/** The same place in the file with other entries. */
export function mapLike(at: Standing, entries: Iterable<readonly [string, YamlEntry]>): YamlMap {
  return { kind: 'map', source: at.source, offset: at.offset, entries: new Map(entries) }
}

export function listLike(at: Standing, items: readonly YamlNode[]): YamlList {
  return { kind: 'list', source: at.source, offset: at.offset, items }
}

export function textLike(at: Standing, value: string): YamlScalar {
  return { kind: 'scalar', type: 'string', value, source: at.source, offset: at.offset }
}

/** JSON of a node, and the node of each JSON object or list made from one. */
export type Conversion = {
  readonly json: Map<YamlNode, Json>
  readonly origins: Map<object, YamlNode>
}

export function newConversion(): Conversion {
  return { json: new Map(), origins: new Map() }
}

/**
 * JSON of a node. Shared nodes give shared values, which are never changed. Throws for a date
 * (docs/reference/language/README.md, "YAML").
 */
export function toJson(node: YamlNode, conversion: Conversion): Json {
  if (node.kind === 'scalar') return scalarJson(node)
  const known = conversion.json.get(node)
  if (known !== undefined) return known
  const json =
    node.kind === 'list' ? node.items.map((item) => toJson(item, conversion)) : mapJson(node, conversion)
  conversion.json.set(node, json)
  conversion.origins.set(json, node)
  return json
}

function mapJson(node: YamlMap, conversion: Conversion): JsonObject {
  const json: { [key: string]: Json } = {}
  for (const [key, { value }] of node.entries) put(json, key, toJson(value, conversion))
  return json
}

function scalarJson(node: YamlScalar): Json {
  if (node.type === 'date') {
    throw formatError(1, `The date ${node.value} cannot be stored: put it in quotes.`, {
      place: nodePlace(node),
      value: node.value,
      expected: `'${node.value}'`,
    })
  }
  if (node.type === 'float' && !Number.isFinite(node.value)) {
    throw formatError(1, `${node.value} is no number that can be stored.`, { place: nodePlace(node) })
  }
  return node.value
}
