import { badParameter } from '../errors/messages.ts'
import { wireList } from '../values/wire-list.ts'
import type { Role } from './matrix.ts'

/** A system role counts in every tenant; a tenant role only where it was given (docs/reference/access.md, "Roles"). */
export const roles = {
  sys_admin: { type: 'system_role', description: 'Administers the whole manager' },
  default: { type: 'system_role', description: 'May log in; gets everything else from tenant roles' },
  manager: { type: 'tenant_role', description: 'Administers a tenant' },
  user: { type: 'tenant_role', description: 'Uploads blueprints and plugins and runs them' },
  operations: { type: 'tenant_role', description: 'Deploys and runs what others uploaded' },
  viewer: { type: 'tenant_role', description: 'Sees everything of a tenant and changes nothing' },
} as const satisfies Readonly<Record<Role, { type: 'system_role' | 'tenant_role'; description: string }>>

export type SystemRole = 'sys_admin' | 'default'
export type TenantRole = Exclude<Role, SystemRole>

export const systemRoles: readonly SystemRole[] = ['sys_admin', 'default']
export const tenantRoles: readonly TenantRole[] = ['manager', 'user', 'operations', 'viewer']

/** Names of the older API that are still accepted (docs/reference/access.md, "Roles"). */
const systemRoleAliases: Readonly<Record<string, SystemRole>> = {
  administrator: 'sys_admin',
  admin: 'sys_admin',
  user: 'default',
}

/** A role that counts in every tenant, in the words of today or of the older API. @throws bad_parameters_error */
export function parseSystemRole(name: string): SystemRole {
  const alias = Object.hasOwn(systemRoleAliases, name) ? systemRoleAliases[name] : undefined
  // `user` is both: an old word for a system role, and a tenant role.
  return alias ?? parseRole(name, 'system_role', systemRoles)
}

/** @throws bad_parameters_error */
export const parseTenantRole = (name: string): TenantRole => parseRole(name, 'tenant_role', tenantRoles)

function parseRole<Name extends Role>(
  name: string,
  type: 'system_role' | 'tenant_role',
  known: readonly Name[],
) {
  const role = known.find((one) => one === name)
  if (role !== undefined) return role
  if (Object.hasOwn(roles, name)) {
    const other = type === 'system_role' ? 'tenant_role' : 'system_role'
    throw badParameter(`Role \`${name}\` is a ${other} and cannot be assigned as a ${type}`)
  }
  throw badParameter(`Invalid role: \`${name}\`. Valid ${type} roles are: ${wireList(known)}`)
}
