import type { Permission } from './matrix.ts'

/** Permission → the roles of which any one suffices. */
export type PermissionTable = Readonly<Record<string, readonly string[]>>

/**
 * Whether any of the roles holds the permission. `roles` are the user's system roles and those in the
 * request's tenant, own and through groups. A permission that the table does not name is held by nobody.
 */
export function isPermitted(
  permission: Permission,
  roles: Iterable<string>,
  table: PermissionTable,
): boolean {
  const holders = table[permission] ?? []
  for (const role of roles) if (holders.includes(role)) return true
  return false
}
