/** A path below `/resources/`: which folder of which tenant, and where in it (spec/operations.md 2.2). */
export type ResourcePath = {
  readonly kind: 'blueprints' | 'deployments'
  readonly tenantName: string
  readonly id: string
  /** Names of folders and at last of a file; none is `.` or `..`. */
  readonly segments: readonly string[]
}

/** Undefined for paths that lead nowhere: elsewhere than to the two kinds, or out of their folder. */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const parts = path.split('/').filter((part) => part !== '')
  if (parts.some((part) => part === '.' || part === '..' || part.includes('\0'))) return undefined
  const [kind, tenantName, id, ...segments] = parts
  if (kind !== 'blueprints' && kind !== 'deployments') return undefined
  if (tenantName === undefined || id === undefined) return undefined
  return { kind, tenantName, id, segments }
}
