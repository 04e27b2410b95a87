/** A path below `/resources/` (docs/reference/access.md, "The file server"). */
export type ResourcePath =
  | {
      readonly kind: 'owned'
      readonly folder: OwnedFolder
      readonly tenantName: string
      /** The blueprint or deployment. */
      readonly id: string
      /** Names of folders and at last of a file; none is `.` or `..`. */
      readonly segments: readonly string[]
    }
  /** Of which the path does not say the tenant. */
  | { readonly kind: 'plugin'; readonly id: string; readonly segments: readonly string[] }
  /** No tenant's: for all users. */
  | { readonly kind: 'shared' }
  /** What machines fetch that are to become agents, and have no credentials yet. */
  | { readonly kind: 'public' }

const ownedFolders = ['blueprints', 'uploaded-blueprints', 'deployments'] as const
type OwnedFolder = (typeof ownedFolders)[number]

/** Undefined for paths that lead nowhere: to nobody in particular, or out of their folder. */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const parts = path.split('/').filter((part) => part !== '')
  if (parts.some((part) => part === '.' || part === '..' || part.includes('\0'))) return undefined
  const [first, tenantName, id, ...segments] = parts
  if (first === 'plugins') {
    return tenantName === undefined ? undefined : { kind: 'plugin', id: tenantName, segments: parts.slice(2) }
  }
  const folder = ownedFolders.find((one) => one === first)
  if (folder === undefined) {
    if (first === undefined) return undefined
    return { kind: first === 'cloudify_agent' ? 'public' : 'shared' }
  }
  if (tenantName === undefined || id === undefined) return undefined
  return { kind: 'owned', folder, tenantName, id, segments }
}

/**
 * The path that a request names which another web server has got and serves: percent-encodings stand for what that
 * one reads, once, and slashes count once. Undefined for what is not below `/resources/`, for two paths at once (of a
 * header that was sent twice), and for what could be taken for another path there than here.
 */
export function pathOfUri(uri: string): ResourcePath | undefined {
  if (!/^\/[^#\\\s\p{Cc}]*$/u.test(uri)) return undefined
  const path = decoded(uri.replace(/\?.*$/s, ''))
  const below = path === undefined ? undefined : /^\/+resources\/(.*)$/s.exec(path)?.[1]
  return below === undefined || /[\\\p{Cc}]/u.test(below) ? undefined : parseResourcePath(below)
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
