import { ApiError, notFound, type RolePermission, roles, unauthorized } from '@tutti/api'
import { loadPermissions } from '../../authentication/queries.ts'
import type { Request } from '../../request.ts'
import { lockPermissions, writeGrant } from './queries.ts'

/** The whole matrix as pairs, or that of one role (docs/reference/access.md, "Permissions"). @throws not_found_error */
export async function listGrants(request: Request, role?: string): Promise<readonly RolePermission[]> {
  const table = await request.access.permissions()
  const pairs = Object.entries(table).flatMap(([permission, holders]) =>
    holders.map((holder) => ({ role: holder, permission })),
  )
  if (role === undefined) return pairs
  requireRole(role)
  return pairs.filter((pair) => pair.role === role)
}

/** Any name of a permission is accepted: plugins and consoles have their own. @throws conflict_error */
export async function grant(request: Request, role: string, permission: string) {
  await edit(request, role, permission, true)
  return { role, permission }
}

/** @throws not_found_error */
export async function revoke(request: Request, role: string, permission: string): Promise<void> {
  await edit(request, role, permission, false)
}

async function edit(request: Request, role: string, permission: string, isGranted: boolean): Promise<void> {
  requireAdministrator(request)
  requireRole(role)
  await request.services.db.transaction().execute(async (transaction) => {
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
function requireAdministrator({ caller }: Request): void {
  if (caller.systemRoles.includes('sys_admin')) return
  throw unauthorized('Only admin users are permitted to edit permissions')
}

function requireRole(role: string): void {
  if (!Object.hasOwn(roles, role)) throw notFound('Role', role)
}
