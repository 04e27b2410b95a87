import { defaultPermissions, type Permission } from './matrix.ts'

/**
 * Whether any of the roles holds the permission. `roles` are the user's system roles and those in the
 * request's tenant, own and through groups. A permission that the table does not name is held by nobody.
 */
export function isPermitted(
  permission: Permission,
  roles: Iterable<string>,
  table: Readonly<Record<string, readonly string[]>> = defaultPermissions,
): boolean {
  const holders = table[permission] ?? []
  for (const role of roles) if (holders.includes(role)) return true
  return false
}
