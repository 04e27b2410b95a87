import { type ListQuery, type RolePermission, rolePermissionFields } from '@tutti/api'
import { valuesAnswer } from '@tutti/domain'
import { grant, listGrants, revoke } from '@tutti/domain/permissions'
import type { Handlers, Request } from '../../request.ts'

/** docs/reference/access.md, "Permissions" */
export const permissionHandlers = {
  'permissions.list': async (request) => answerOf(request, await listGrants(request)),

  'permissions.get': async (request) => answerOf(request, await listGrants(request, request.params.role)),

  'permissions.grant': (request) => grant(request, request.params.role, request.params.permission),

  'permissions.revoke': (request) => revoke(request, request.params.role, request.params.permission),
} satisfies Partial<Handlers>

const answerOf = (request: Request & { readonly list: ListQuery }, grants: readonly RolePermission[]) =>
  valuesAnswer(request, rolePermissionFields, grants, 'permission')
