import { wholeAnswer } from '../../list-answer.ts'
import type { Handlers } from '../../request.ts'
import { grant, listGrants, revoke } from './service.ts'

/** spec/rest-facts-b.md 3 */
export const permissionHandlers = {
  'permissions.list': async (request) => wholeAnswer(await listGrants(request)),

  'permissions.get': async (request) => wholeAnswer(await listGrants(request, request.params.role)),

  'permissions.grant': (request) => grant(request, request.params.role, request.params.permission),

  'permissions.revoke': (request) => revoke(request, request.params.role, request.params.permission),
} satisfies Partial<Handlers>
