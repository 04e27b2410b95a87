import { createHash } from 'node:crypto'
import { join } from 'node:path'

export type Kind = 'blueprints' | 'deployments'

/** Of what: ids are unique in their tenant. */
export type Owner = { readonly kind: Kind; readonly tenant: string; readonly id: string }

/**
 * The folder of a blueprint or a deployment, else undefined: ids may be `..`, or longer than a name of a file can be, and
 * then there is none.
 */
export function folderOf(root: string, { kind, tenant, id }: Owner): string | undefined {
  return isFileName(tenant) && isFileName(id) ? join(root, kind, tenant, id) : undefined
}

const isFileName = (id: string): boolean => /^[A-Za-z0-9._~-]{1,255}$/.test(id) && !/^\.{1,2}$/.test(id)

/** What the workers of this machine know of the folders, and what is being made; closed to operations. */
export const insideOf = (root: string): string => join(root, '.tutti')

export const noteFile = (root: string, owner: Owner): string =>
  join(insideOf(root), 'notes', `${hashOf(owner)}.json`)

/** Where the workers of this machine say whose turn it is. */
export const lockFolder = (root: string, owner: Owner): string => join(insideOf(root), 'locks', hashOf(owner))

const hashOf = ({ kind, tenant, id }: Owner): string =>
  createHash('sha256').update(`${kind}/${tenant}/${id}`).digest('hex')
