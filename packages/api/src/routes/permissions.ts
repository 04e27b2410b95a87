import { RolePermission, rolePermissionFields } from '../shapes/access.ts'
import { ListOf } from '../shapes/common.ts'
import { route } from './route.ts'

/** docs/reference/access.md, "Permissions". */
export const permissionRoutes = {
  'permissions.list': route({
    method: 'GET',
    path: '/permissions',
    since: 'v3.1',
    permission: 'authenticated',
    tenant: 'none',
    reach: 'manager',
    summary: 'List which role holds which permission',
    list: rolePermissionFields,
    response: ListOf(RolePermission),
    status: 200,
  }),
  'permissions.get': route({
    method: 'GET',
    path: '/permissions/:role',
    since: 'v3.1',
    permission: 'authenticated',
    tenant: 'none',
    reach: 'manager',
    summary: 'List the permissions of a role',
    list: rolePermissionFields,
    response: ListOf(RolePermission),
    status: 200,
  }),
  'permissions.grant': route({
    method: 'PUT',
    path: '/permissions/:role/:permission',
    since: 'v3.1',
    permission: 'authenticated',
    tenant: 'none',
    reach: 'manager',
    summary: 'Give a permission to a role',
    response: RolePermission,
    status: 200,
  }),
  'permissions.revoke': route({
    method: 'DELETE',
    path: '/permissions/:role/:permission',
    since: 'v3.1',
    permission: 'authenticated',
    tenant: 'none',
    reach: 'manager',
    summary: 'Take a permission from a role',
    response: 'empty',
    status: 204,
  }),
} as const
