import type { Handlers } from '../../request.ts'
import { grant, listGrants, revoke } from './service.ts'

/** spec/rest-facts-b.md 3 */
export const permissionHandlers = {
  'permissions.list': async (request) => whole(await listGrants(request)),

  'permissions.get': async (request) => whole(await listGrants(request, request.params.role)),

  'permissions.grant': (request) => grant(request, request.params.role, request.params.permission),

  'permissions.revoke': (request) => revoke(request, request.params.role, request.params.permission),
} satisfies Partial<Handlers>

/** Always all of it: the matrix has no pages. */
function whole<Item>(items: readonly Item[]) {
  return {
    items,
    metadata: { pagination: { total: items.length, offset: 0, size: items.length }, filtered: null },
  }
}
