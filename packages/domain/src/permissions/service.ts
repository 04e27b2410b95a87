import { ApiError, notFound, type RolePermission, roles, unauthorized } from '@tutti/api'
import type { Actor } from '../actor.ts'
import { loadPermissions } from '../authentication/index.ts'
import { lockPermissions, writeGrant } from './queries.ts'

/** The whole matrix as pairs, or that of one role (docs/reference/access.md, "Permissions"). @throws not_found_error */
export async function listGrants(actor: Actor, role?: string): Promise<readonly RolePermission[]> {
  const table = await actor.access.permissions()
  const pairs = Object.entries(table).flatMap(([permission, holders]) =>
    holders.map((holder) => ({ role: holder, permission })),
  )
  if (role === undefined) return pairs
  requireRole(role)
  return pairs.filter((pair) => pair.role === role)
}

/** Any name of a permission is accepted: plugins and consoles have their own. @throws conflict_error */
export async function grant(actor: Actor, role: string, permission: string) {
  await edit(actor, role, permission, true)
  return { role, permission }
}

/** @throws not_found_error */
export async function revoke(actor: Actor, role: string, permission: string): Promise<void> {
  await edit(actor, role, permission, false)
}

async function edit(actor: Actor, role: string, permission: string, isGranted: boolean): Promise<void> {
  requireAdministrator(actor)
  requireRole(role)
  await actor.services.db.transaction().execute(async (transaction) => {
    await lockPermissions(transaction)
    const isHeld = (await loadPermissions(transaction))[permission]?.includes(role) ?? false
    if (isHeld && isGranted) {
      throw new ApiError('conflict_error', `Role \`${role}\` already has the permission \`${permission}\``)
    }
    if (!isHeld && !isGranted) {
      throw new ApiError(
        'not_found_error',
        `The permission \`${permission}\` of role \`${role}\` was not found`,
      )
    }
    await writeGrant(transaction, { role, permission, isGranted })
  })
}

/** A status that nobody would expect here, and that clients know (docs/reference/access.md, "Permissions"). */
function requireAdministrator({ caller }: Actor): void {
  if (caller.systemRoles.includes('sys_admin')) return
  throw unauthorized('Only admin users are permitted to edit permissions')
}

function requireRole(role: string): void {
  if (!Object.hasOwn(roles, role)) throw notFound('Role', role)
}
