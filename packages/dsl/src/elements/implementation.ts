import { logicError, type Place } from '../diagnostic.ts'
import type { Build } from '../language/build.ts'
import { givenMap } from '../yaml/node.ts'

/**
 * What an `implementation` or a workflow's `mapping` turns out to be
 * (docs/reference/language/plugins-and-operations.md, "Implementations").
 */
export type Implementation =
  | { readonly kind: 'none' }
  | { readonly kind: 'script'; readonly path: string }
  | { readonly kind: 'inline'; readonly source: string }
  | { readonly kind: 'plugin'; readonly plugin: string; readonly operation: string }

export type ImplementationOwner = {
  readonly build: Build
  readonly plugins: readonly string[]
  /** 10 node, 19 relationship, 21 workflow. */
  readonly notFoundCode: 10 | 19 | 21
  /** How messages name what is implemented. */
  readonly label: string
  readonly place: Place
  readonly path: string
}

export function resolveImplementation(owner: ImplementationOwner, text: string): Implementation {
  if (text === '') return { kind: 'none' }
  if (/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text)) return { kind: 'script', path: text }
  if (isFile(owner.build.files, text)) return { kind: 'script', path: text }
  if (text.trim().includes('\n')) return { kind: 'inline', source: text }
  const plugins = owner.plugins.filter((name) => text.startsWith(`${name}.`))
  const at = { place: owner.place, path: owner.path, value: text }
  if (plugins.length > 1) {
    throw logicError(
      91,
      `${owner.label}: '${text}' may belong to any of the plugins ${plugins.join(', ')}.`,
      at,
    )
  }
  const [plugin] = plugins
  if (plugin !== undefined) return { kind: 'plugin', plugin, operation: text.slice(plugin.length + 1) }
  const namespaces = givenMap(owner.build.document, 'namespaces_mapping')
  const delimiter = text.indexOf('--')
  if (delimiter !== -1 && namespaces?.entries.has(text.slice(0, delimiter)) === true) {
    return { kind: 'script', path: text }
  }
  throw logicError(
    owner.notFoundCode,
    `${owner.label}: '${text}' is neither a file beside the blueprint nor begins with the name of a plugin.`,
    { ...at, expected: `a file of the blueprint, or one of the plugins ${owner.plugins.join(', ')}` },
  )
}

/** A namespace before a file's name is not part of it. */
function isFile(files: ReadonlySet<string>, text: string): boolean {
  const delimiter = text.lastIndexOf('--')
  const path = delimiter === -1 ? text : text.slice(delimiter + 2)
  return files.has(path) || files.has(normalised(path))
}

/** `./a/../b` to `b`. Paths that leave the folder stay as they are and match nothing. */
function normalised(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (part !== '.' && part !== '') parts.push(part)
    else if (part === '' && parts.length === 0 && path.startsWith('/')) return path
  }
  return parts.join('/')
}

/** The plugin that runs scripts: the first whose name ends in `script`, namespaced ones included. */
export function scriptPlugin(owner: ImplementationOwner): string {
  const plugin = owner.plugins.find((name) => name.endsWith('script'))
  if (plugin !== undefined) return plugin
  throw logicError(61, `${owner.label}: a script needs the script plugin, which is not defined.`, {
    place: owner.place,
    path: owner.path,
    expected: 'import cloudify/types/types.yaml',
  })
}
