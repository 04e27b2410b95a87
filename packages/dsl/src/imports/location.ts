import { DslError, logicError, type Place } from '../diagnostic.ts'
import { type Version, versionSuffix } from '../language/version.ts'
import type { ImportRequest } from './resolver.ts'

/**
 * docs/reference/language/imports.md, "Import lines": everything before the last `--` is the namespace. An empty one is
 * none.
 */
export function splitNamespace(written: string, place: Place): { namespace: string; location: string } {
  const at = written.lastIndexOf('--')
  if (at === -1) return { namespace: '', location: written }
  const namespace = written.slice(0, at)
  if (namespace.includes('--')) {
    throw logicError(212, `Invalid import ${written}: a namespace cannot contain '--'.`, {
      place,
      path: 'imports',
      value: written,
    })
  }
  return { namespace, location: written.slice(at + 2) }
}

const REMOTE = /^(https?|file|ftp|plugin|blueprint):/

export function isBlueprintLocation(location: string): boolean {
  return location.startsWith('blueprint:')
}

/**
 * What to try for a location, in order; the first that loads is used (docs/reference/language/imports.md, "Locations").
 */
export function candidatesOf(
  location: string,
  importer: string,
  mainVersion: Version,
  place: Place,
): readonly ImportRequest[] {
  switch (REMOTE.exec(location)?.[1]) {
    case 'http':
    case 'https':
    case 'ftp':
      return [{ kind: 'url', url: location }]
    case 'file':
      return [{ kind: 'file', address: location, remote: true }]
    case 'plugin':
      return [pluginRequest(location, mainVersion, place)]
    case 'blueprint':
      return [{ kind: 'blueprint', id: location.slice('blueprint:'.length) }]
    default:
      return [
        besideImporter(location, importer),
        { kind: 'resource', path: withSuffix(location, mainVersion) },
        { kind: 'resource', path: location },
      ]
  }
}

function besideImporter(location: string, importer: string): ImportRequest {
  const folder = importer.slice(0, importer.lastIndexOf('/') + 1)
  if (/^(https?|ftp):/.test(importer)) return { kind: 'url', url: new URL(location, importer).href }
  const address = location.startsWith('/') ? `file:${location}` : `${folder}${location}`
  return { kind: 'file', address, remote: false }
}

/** `a/b.yaml` to `a/b_1_4.yaml`. */
function withSuffix(path: string, version: Version): string {
  const dot = path.lastIndexOf('.')
  const end = dot > path.lastIndexOf('/') ? dot : path.length
  return `${path.slice(0, end)}_${versionSuffix(version)}${path.slice(end)}`
}

/** `plugin:NAME[?version=SPEC&distribution=D]` (docs/reference/language/imports.md, "Plugin imports"). */
function pluginRequest(location: string, mainVersion: Version, place: Place): ImportRequest {
  const [name = '', query = ''] = splitOnce(location.slice('plugin:'.length), '?')
  const versions: string[] = []
  let distribution: string | null = null
  for (const [key, value] of new URLSearchParams(query)) {
    if (key === 'version') versions.push(...value.split(',').map((part) => part.trim()))
    else if (key === 'distribution') distribution = value
    else throw resolverError(`Import ${location}: unknown parameter '${key}'.`, location, place)
  }
  if (versions.includes('')) {
    throw resolverError(`Import ${location}: an empty version specifier.`, location, place)
  }
  return { kind: 'plugin', location, name: name.trim(), versions, distribution, mainVersion }
}

function splitOnce(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

export function importError(message: string, value: string, place: Place): DslError {
  return logicError(13, message, { place, path: 'imports', value })
}

/**
 * Plugins and blueprints are the resolver's own matter, with an error class of its own
 * (docs/reference/language/errors.md).
 */
export function resolverError(message: string, value: string, place: Place): DslError {
  return new DslError('InvalidBlueprintImport', message, { place, path: 'imports', value })
}
