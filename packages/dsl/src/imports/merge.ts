import { type DslError, logicError, type Place } from '../diagnostic.ts'
import { SECTIONS } from '../language/document.ts'
import { isOlder, type Version } from '../language/version.ts'
import {
  givenItems,
  isNull,
  listLike,
  mapLike,
  nodePlace,
  type YamlEntry,
  type YamlMap,
  type YamlNode,
} from '../yaml/node.ts'

/** One file, already under its namespace. */
export type LoadedFile = {
  readonly root: YamlMap
  /** Recognised as the built-in types (docs/reference/language/README.md, "Merging"). */
  readonly isBuiltIn: boolean
}

/** All files as one mapping of sections; earlier files come first (docs/reference/language/README.md, "Merging"). */
export function mergeFiles(
  files: readonly [LoadedFile, ...LoadedFile[]],
  version: Version,
  report: (error: DslError) => void,
): YamlMap {
  const [main] = files
  const sections = new Map<string, YamlEntry>(main.root.entries)
  for (const file of files.slice(1)) {
    for (const [name, entry] of file.root.entries) {
      if (isNull(entry.value)) continue
      const earlier = sections.get(name)
      if (earlier === undefined || isNull(earlier.value)) {
        if (mergeOf(name) !== 'main') sections.set(name, entry)
        continue
      }
      const merged = mergeSection(name, earlier, entry, file.isBuiltIn, version, report)
      sections.set(name, { key: earlier.key, value: merged })
    }
  }
  return mapLike(main.root, sections)
}

function mergeOf(name: string): string {
  return Object.hasOwn(SECTIONS, name) ? (SECTIONS[name]?.merge ?? 'first') : 'first'
}

function mergeSection(
  name: string,
  earlier: YamlEntry,
  later: YamlEntry,
  isBuiltIn: boolean,
  version: Version,
  report: (error: DslError) => void,
): YamlNode {
  const merge = mergeOf(name)
  switch (merge) {
    case 'main':
    case 'dropped':
    case 'first':
      return earlier.value
    case 'appended':
      return listLike(earlier.value, [...itemsOf(earlier.value), ...itemsOf(later.value)])
    case 'never':
      report(unmergeable(name, earlier, later))
      return earlier.value
    case 'union since 1_3':
    case 'earlier wins':
      if (isOlder(version, [1, 3])) {
        report(unmergeable(name, earlier, later))
        return earlier.value
      }
  }
  // What is no mapping is reported when the shape of the document is checked.
  if (earlier.value.kind !== 'map') return earlier.value
  if (later.value.kind !== 'map') return later.value
  const entries = new Map(earlier.value.entries)
  for (const [key, entry] of later.value.entries) {
    const before = entries.get(key)
    if (before === undefined || isBuiltIn || key.startsWith('cloudify.')) entries.set(key, entry)
    else if (merge === 'fill in') entries.set(key, filledIn(before, entry))
    else if (merge !== 'earlier wins') {
      const extended = name === 'node_templates' ? extendedTemplate(before, entry) : null
      if (extended === null) report(conflict(name, key, before, entry))
      else entries.set(key, extended)
    }
  }
  return mapLike(earlier.value, entries)
}

function itemsOf(node: YamlNode): readonly YamlNode[] {
  return node.kind === 'list' ? node.items : [node]
}

function placeText(place: Place): string {
  return `${place.file}:${place.line}`
}

function unmergeable(name: string, earlier: YamlEntry, later: YamlEntry): DslError {
  const place = nodePlace(later.key)
  return logicError(
    3,
    `Import failed: '${name}' stands in two files (first at ${placeText(nodePlace(earlier.key))}) and cannot be merged.`,
    { place, path: name },
  )
}

function conflict(section: string, key: string, earlier: YamlEntry, later: YamlEntry): DslError {
  return logicError(
    4,
    `Import failed: '${key}' in '${section}' is defined twice, first at ${placeText(nodePlace(earlier.key))}.`,
    { place: nodePlace(later.key), path: `${section}.${key}` },
  )
}

/** A workflow that two files define: the later gives what the earlier lacks. */
function filledIn(earlier: YamlEntry, later: YamlEntry): YamlEntry {
  if (earlier.value.kind !== 'map' || later.value.kind !== 'map') return earlier
  return {
    key: earlier.key,
    value: mapLike(earlier.value, [...later.value.entries, ...earlier.value.entries]),
  }
}

/**
 * A node template whose relationships are given in another file (docs/reference/language/README.md, "Merging"); null
 * when they conflict.
 */
function extendedTemplate(earlier: YamlEntry, later: YamlEntry): YamlEntry | null {
  if (earlier.value.kind !== 'map' || later.value.kind !== 'map') return null
  const before = earlier.value
  const after = later.value
  const onlyMore = isOnlyRelationships(after)
  const fits = isOnlyRelationships(before)
    ? onlyMore || after.entries.has('type')
    : onlyMore && before.entries.has('relationships')
  if (!fits) return null
  const own = before.entries.get('relationships') ?? after.entries.get('relationships')
  const relationships = [...givenItems(before, 'relationships'), ...givenItems(after, 'relationships')]
  const entries = new Map([...after.entries, ...before.entries])
  if (own !== undefined)
    entries.set('relationships', { key: own.key, value: listLike(own.value, relationships) })
  return { key: earlier.key, value: mapLike(before, entries) }
}

function isOnlyRelationships(template: YamlMap): boolean {
  return template.entries.size === 1 && template.entries.has('relationships')
}
