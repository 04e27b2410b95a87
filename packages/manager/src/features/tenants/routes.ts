import { listAnswer } from '../../list-answer.ts'
import type { Handlers } from '../../request.ts'
import { getTenant, listTenants } from './service.ts'

/** spec/rest-spec-b.md 4.13, spec/rest-facts-b.md 4 */
export const tenantHandlers = {
  'tenants.list': async (request) =>
    listAnswer(request.list, await listTenants(request, request.list, request.options._get_data ?? false)),

  'tenants.get': (request) => getTenant(request, request.options._get_data ?? false, request.include),
} satisfies Partial<Handlers>
