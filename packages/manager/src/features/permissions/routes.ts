import { listAnswer } from '../../list-answer.ts'
import type { Handlers } from '../../request.ts'
import { grant, listGrants, revoke } from './service.ts'

/** spec/rest-facts-b.md 3 */
export const permissionHandlers = {
  'permissions.list': async (request) => listAnswer(request.list, await listGrants(request, request.list)),

  'permissions.get': async (request) =>
    listAnswer(request.list, await listGrants(request, request.list, request.params.role)),

  'permissions.grant': (request) => grant(request, request.params.role, request.params.permission),

  'permissions.revoke': (request) => revoke(request, request.params.role, request.params.permission),
} satisfies Partial<Handlers>
