import { DslError, formatError, logicError } from '../diagnostic.ts'
import { SECTIONS } from '../language/document.ts'
import { isOlder, readVersion, type Version } from '../language/version.ts'
import type { PlanVersion } from '../plan/plan.ts'
import {
  given,
  givenMap,
  isNull,
  listLike,
  mapLike,
  nodePlace,
  textLike,
  textOf,
  type YamlEntry,
  type YamlMap,
} from '../yaml/node.ts'
import { readYaml } from '../yaml/read.ts'
import { type ImportLine, readImportLines } from './import-line.ts'
import { candidatesOf, importError, isBlueprintLocation, resolverError } from './location.ts'
import type { LoadedFile } from './merge.ts'
import { underNamespace } from './namespace.ts'
import { replaceStoredSections, withPluginProperties } from './plugin-file.ts'
import { ImportFailure, type ImportRequest, type ImportResolver, type ResolvedImport } from './resolver.ts'

export type LoadRequest = {
  readonly mainFile: string
  readonly text: string
  readonly resolve: ImportResolver
  readonly validateVersion: boolean
}

export type LoadedBlueprint = {
  readonly version: PlanVersion
  /**
   * The main file first, then breadth first in the order of the import lines (docs/reference/language/imports.md,
   * "Order").
   */
  readonly files: readonly [LoadedFile, ...LoadedFile[]]
  readonly importedBlueprints: readonly string[]
  /** Full namespace → blueprint id. */
  readonly namespaces: ReadonlyMap<string, string>
}

/** A server may answer every import with further ones, without end. */
const MAX_FILES = 1_000

/** An imported file whose own imports are still to be followed. */
type Opened = {
  readonly address: string
  readonly root: YamlMap
  readonly namespace: string
  /**
   * Files of an imported blueprint are not checked for their version (docs/reference/language/imports.md, "Blueprint
   * imports").
   */
  readonly isForeign: boolean
}

interface Loading extends LoadRequest {
  readonly version: PlanVersion
  readonly seen: Set<string>
  readonly answers: Map<string, Promise<ResolvedImport | null>>
  readonly importedBlueprints: string[]
  readonly namespaces: Map<string, string>
  readonly report: (error: DslError) => void
}

/** Reads the main file and everything it imports. Reports independent errors, throws what stops it. */
export async function loadBlueprint(
  request: LoadRequest,
  report: (error: DslError) => void,
): Promise<LoadedBlueprint> {
  const root = rootOf(request.mainFile, request.text)
  const loading: Loading = {
    ...request,
    version: mainVersion(root),
    seen: new Set([identity(request.mainFile, '')]),
    answers: new Map([
      [request.mainFile, Promise.resolve({ address: request.mainFile, text: request.text })],
    ]),
    importedBlueprints: [],
    namespaces: new Map(),
    report,
  }
  const files: [LoadedFile, ...LoadedFile[]] = [{ root, isBuiltIn: isBuiltInTypes(root) }]
  let level: Opened[] = [{ address: request.mainFile, root, namespace: '', isForeign: false }]
  while (level.length > 0) {
    const lines = level.flatMap((file) =>
      linesOf(loading, file, file.root === root).map((line) => ({ file, line })),
    )
    const fetched = await Promise.all(lines.map(({ file, line }) => fetchLine(loading, file, line)))
    level = []
    for (const [index, { file, line }] of lines.entries()) {
      const found = fetched[index]
      if (found === null || found === undefined) continue
      const opened = attempted(report, () => open(loading, file, line, found))
      if (opened === null) continue
      level.push(opened.next)
      files.push(opened.file)
      if (files.length > MAX_FILES)
        throw importError(`More than ${MAX_FILES} files are imported.`, line.written, line.place)
    }
  }
  return {
    version: loading.version,
    files,
    importedBlueprints: loading.importedBlueprints,
    namespaces: loading.namespaces,
  }
}

function attempted<T>(report: (error: DslError) => void, work: () => T): T | null {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof DslError)) throw error
    report(error)
    return null
  }
}

function rootOf(address: string, text: string): YamlMap {
  const root = readYaml(address, text)
  if (root.kind === 'map') return root
  throw formatError(1, `${address} should hold a mapping but is a ${root.kind}.`, { place: nodePlace(root) })
}

function mainVersion(root: YamlMap): PlanVersion {
  const node = given(root, 'tosca_definitions_version')
  if (node === undefined) {
    throw logicError(27, 'The main blueprint file must have a tosca_definitions_version.', {
      place: nodePlace(root),
      path: 'tosca_definitions_version',
      expected: 'e.g. tosca_definitions_version: cloudify_dsl_1_5',
    })
  }
  const text = textOf(node)
  if (text !== undefined) return readVersion(text, nodePlace(node))
  throw formatError(1, 'tosca_definitions_version should be a string.', {
    place: nodePlace(node),
    path: 'tosca_definitions_version',
    expected: 'string',
  })
}

/** The types file of the product, or a file that stands for it. */
function isBuiltInTypes(root: YamlMap): boolean {
  return givenMap(root, 'node_types')?.entries.has('cloudify.nodes.Root') === true
}

function identity(location: string, namespace: string): string {
  return `${namespace}\n${location}`
}

/** The import lines of a file that are right; the others are reported. */
function linesOf(loading: Loading, file: Opened, isMain: boolean): readonly ImportLine[] {
  const lines = attempted(loading.report, () =>
    readImportLines(file.root, {
      refuseRepetition: isMain,
      gates: loading.validateVersion ? loading.version.definitions_version : null,
    }),
  )
  return (lines ?? []).filter(
    (line) => attempted(loading.report, () => recordBlueprint(loading, file, line)) !== null,
  )
}

/** An imported blueprint needs a namespace of its own (docs/reference/language/imports.md, "Blueprint imports"). */
function recordBlueprint(loading: Loading, file: Opened, line: ImportLine): true {
  if (!isBlueprintLocation(line.location)) return true
  const at = { place: line.place, path: 'imports', value: line.written }
  if (line.namespace === '') {
    throw logicError(213, `Import ${line.written}: a blueprint cannot be imported without a namespace.`, {
      ...at,
      expected: `NAMESPACE--${line.written}`,
    })
  }
  const full = `${file.namespace}${line.namespace}`
  if (loading.namespaces.has(full)) {
    throw logicError(
      214,
      `Import ${line.written}: the namespace '${full}' is used by another imported blueprint.`,
      at,
    )
  }
  const id = line.location.slice('blueprint:'.length)
  loading.importedBlueprints.push(id)
  loading.namespaces.set(full, id)
  return true
}

type Found = {
  readonly key: string
  readonly answer: ResolvedImport
}

async function fetchLine(loading: Loading, file: Opened, line: ImportLine): Promise<Found | null> {
  let failure: string | null = null
  try {
    const candidates = candidatesOf(
      line.location,
      file.address,
      loading.version.definitions_version,
      line.place,
    )
    for (const request of candidates) {
      try {
        const answer = await ask(loading, request)
        if (answer !== null) return { key: keyOf(request), answer }
      } catch (error) {
        if (!(error instanceof ImportFailure)) throw error
        failure = error.message
      }
    }
    loading.report(notFound(line, failure))
  } catch (error) {
    if (!(error instanceof DslError)) throw error
    loading.report(error)
  }
  return null
}

/**
 * Plugins and blueprints are the resolver's own matter; other imports are files that are not there
 * (docs/reference/language/errors.md).
 */
function notFound(line: ImportLine, failure: string | null): DslError {
  const reason = failure ?? 'there is nothing at this address'
  const message = `Import failed: ${line.location}: ${reason}.`
  if (!/^(?:plugin|blueprint):/.test(line.location)) return importError(message, line.written, line.place)
  return resolverError(message, line.written, line.place)
}

function keyOf(request: ImportRequest): string {
  switch (request.kind) {
    case 'file':
      return request.address
    case 'resource':
      return `resource:${request.path}`
    case 'url':
      return request.url
    case 'plugin':
      return request.location
    case 'blueprint':
      return `blueprint:${request.id}`
  }
}

/** A file wanted twice is fetched once. */
function ask(loading: Loading, request: ImportRequest): Promise<ResolvedImport | null> {
  const key = keyOf(request)
  const known = loading.answers.get(key)
  if (known !== undefined) return known
  const answer = loading.resolve(request)
  loading.answers.set(key, answer)
  return answer
}

function open(
  loading: Loading,
  importer: Opened,
  line: ImportLine,
  found: Found,
): { readonly next: Opened; readonly file: LoadedFile } | null {
  const { answer } = found
  const read = replaceStoredSections(rootOf(answer.address, answer.text), answer.stored)
  const isBuiltIn = isBuiltInTypes(read)
  if (isBuiltIn && line.namespace !== '') {
    throw logicError(214, `Import ${line.written}: the built-in types cannot have a namespace.`, {
      place: line.place,
      path: 'imports',
      value: line.written,
    })
  }
  // Built-in types are shared by all namespaces.
  const added = line.namespace === '' ? '' : `${line.namespace}--`
  const namespace = isBuiltIn ? '' : `${importer.namespace}${added}`
  const key = identity(found.key, namespace)
  if (loading.seen.has(key)) return null
  loading.seen.add(key)
  const isForeign = importer.isForeign || isBlueprintLocation(line.location)
  if (!isForeign && loading.validateVersion) checkVersion(loading.version, read, answer.address)
  const withProperties = withPluginProperties(read, line)
  const root = namespace === '' ? withProperties : fileUnderNamespace(withProperties, namespace)
  return {
    next: { address: answer.address, root: read, namespace, isForeign },
    file: { root, isBuiltIn },
  }
}

/**
 * An import's version, if it has one, must not be newer than the main file's (docs/reference/language/README.md,
 * "Versions").
 */
function checkVersion(main: PlanVersion, root: YamlMap, address: string): void {
  const node = given(root, 'tosca_definitions_version')
  if (node === undefined) return
  const text = textOf(node) ?? ''
  const own: Version = readVersion(text, nodePlace(node)).definitions_version
  if (!isOlder(main.definitions_version, own)) return
  throw logicError(28, `${address} is of version ${text}, newer than the main file's ${main.raw}.`, {
    place: nodePlace(node),
    path: 'tosca_definitions_version',
    value: text,
    expected: `${main.raw} or older`,
  })
}

function fileUnderNamespace(root: YamlMap, namespace: string): YamlMap {
  return mapLike(
    root,
    [...root.entries].map(([name, entry]): [string, YamlEntry] => {
      const shape = Object.hasOwn(SECTIONS, name) ? SECTIONS[name]?.shape : undefined
      if (shape === undefined || isNull(entry.value)) return [name, entry]
      return [name, { key: entry.key, value: underNamespace(entry.value, shape, namespace) }]
    }),
  )
}

/**
 * What the importer found out stands in the document as if it had been written there
 * (docs/reference/language/README.md, "Sections").
 */
export function recordImports(root: YamlMap, loaded: LoadedBlueprint): YamlMap {
  const entries = new Map(root.entries)
  const key = (name: string): YamlEntry['key'] => textLike(root, name) as YamlEntry['key']
  const ids = [
    ...itemsIn(root, 'imported_blueprints'),
    ...loaded.importedBlueprints.map((id) => textLike(root, id)),
  ]
  entries.set('imported_blueprints', { key: key('imported_blueprints'), value: listLike(root, ids) })
  const mapping = new Map(givenMap(root, 'namespaces_mapping')?.entries)
  for (const [namespace, id] of loaded.namespaces) {
    mapping.set(namespace, { key: key(namespace), value: textLike(root, id) })
  }
  entries.set('namespaces_mapping', { key: key('namespaces_mapping'), value: mapLike(root, mapping) })
  return mapLike(root, entries)
}

function itemsIn(root: YamlMap, name: string): readonly YamlEntry['value'][] {
  const node = given(root, name)
  return node?.kind === 'list' ? node.items : []
}
