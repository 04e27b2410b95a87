import { logicError } from '../diagnostic.ts'
import { isCallNode } from '../functions/call.ts'
import type { Json } from '../json.ts'
import { summary } from '../language/summary.ts'
import {
  givenMap,
  givenText,
  isNull,
  kindOf,
  mapLike,
  nodePlace,
  type YamlEntry,
  type YamlMap,
  type YamlNode,
} from '../yaml/node.ts'
import type { ImportLine } from './import-line.ts'
import type { ResolvedImport } from './resolver.ts'

/**
 * Labels and tags stored with a plugin replace those of its YAML (docs/reference/language/imports.md, "Plugin
 * imports").
 */
export function replaceStoredSections(root: YamlMap, stored: ResolvedImport['stored']): YamlMap {
  if (stored === undefined) return root
  const entries = new Map(root.entries)
  for (const section of ['labels', 'blueprint_labels'] as const) {
    const labels = stored[section] ?? {}
    const values = Object.entries(labels).map(([key, list]): [string, Json] => [key, { values: list }])
    replace(entries, root, section, Object.fromEntries(values))
  }
  replace(entries, root, 'resource_tags', stored.resource_tags ?? {})
  return mapLike(root, entries)
}

function replace(
  entries: Map<string, YamlEntry>,
  root: YamlMap,
  section: string,
  value: { [key: string]: Json },
): void {
  if (Object.keys(value).length === 0) entries.delete(section)
  else entries.set(section, { key: scalar(root, section) as YamlEntry['key'], value: nodeFrom(root, value) })
}

/** A node standing at `at` for a JSON value. */
function nodeFrom(at: YamlMap, value: Json): YamlNode {
  if (Array.isArray(value)) {
    return {
      kind: 'list',
      source: at.source,
      offset: at.offset,
      items: value.map((item) => nodeFrom(at, item)),
    }
  }
  if (typeof value !== 'object' || value === null)
    return scalar(at, value as null | boolean | number | string)
  return mapLike(
    at,
    Object.entries(value).map(([key, inner]): [string, YamlEntry] => [
      key,
      { key: scalar(at, key) as YamlEntry['key'], value: nodeFrom(at, inner) },
    ]),
  )
}

function scalar(at: YamlMap, value: null | boolean | number | string): YamlNode {
  const standing = { kind: 'scalar', source: at.source, offset: at.offset } as const
  if (value === null) return { ...standing, type: 'null', value }
  if (typeof value === 'boolean') return { ...standing, type: 'boolean', value }
  if (typeof value === 'number')
    return { ...standing, type: Number.isInteger(value) ? 'integer' : 'float', value }
  return { ...standing, type: 'string', value }
}

/**
 * Import properties become the `value` of the same properties of every plugin in the file
 * (docs/reference/language/imports.md, "Plugin imports").
 */
export function withPluginProperties(root: YamlMap, line: ImportLine): YamlMap {
  const { properties } = line
  const plugins = givenMap(root, 'plugins')
  if (properties === null) return root
  for (const [name, { value }] of properties.entries) checkForm(name, value, line)
  if (plugins === undefined) return root
  const changed = [...plugins.entries].map(([name, entry]): [string, YamlEntry] => {
    const declared = entry.value.kind === 'map' ? givenMap(entry.value, 'properties') : undefined
    if (declared === undefined || entry.value.kind !== 'map') return [name, entry]
    const set = mapLike(entry.value, [
      ...entry.value.entries,
      ['properties', { key: entry.key, value: withValues(name, declared, properties, line) }],
    ])
    return [name, { key: entry.key, value: set }]
  })
  const section = root.entries.get('plugins')
  if (section === undefined) return root
  return mapLike(root, [...root.entries, ['plugins', { key: section.key, value: mapLike(plugins, changed) }]])
}

function checkForm(name: string, value: YamlNode, line: ImportLine): void {
  if (!isNull(value) && (value.kind !== 'map' || isCallNode(value))) return
  throw logicError(
    220,
    `The property '${name}' of import '${line.written}' cannot be ${isNull(value) ? 'null' : 'a dict'}.`,
    {
      place: nodePlace(value),
      path: `${line.path}.${line.written}.${name}`,
      expected: 'a string, number, boolean, list or function',
    },
  )
}

function withValues(plugin: string, declared: YamlMap, given: YamlMap, line: ImportLine): YamlMap {
  const entries = new Map(declared.entries)
  for (const [name, { key, value }] of given.entries) {
    const schema = entries.get(name)
    const at = { place: nodePlace(key), path: `${line.path}.${line.written}.${name}`, value: summary(value) }
    if (schema === undefined) {
      throw logicError(221, `The plugin '${plugin}' of import '${line.written}' has no property '${name}'.`, {
        ...at,
        expected: `one of ${[...declared.entries.keys()].join(', ')}`,
      })
    }
    const written = schema.value.kind === 'map' ? schema.value : mapLike(schema.key, [])
    const type = givenText(written, 'type')
    if (type !== undefined && !fits(value, type)) {
      throw logicError(
        221,
        `The property '${name}' of plugin '${plugin}' should be ${type} but is ${kindOf(value)}.`,
        {
          ...at,
          expected: type,
        },
      )
    }
    entries.set(name, {
      key: schema.key,
      value: mapLike(written, [...written.entries, ['value', { key, value }]]),
    })
  }
  return mapLike(declared, entries)
}

function fits(value: YamlNode, type: string): boolean {
  if (isCallNode(value)) return true
  const kind = kindOf(value)
  if (type === 'string') return kind === 'string' || kind === 'integer'
  if (type === 'float') return kind === 'integer' || kind === 'float'
  return kind === type
}
