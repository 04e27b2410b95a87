import { listAnswer } from '../../list-answer.ts'
import type { Handlers } from '../../request.ts'
import {
  addMember,
  createTenant,
  getTenant,
  listTenants,
  removeMember,
  removeTenant,
  setMemberRole,
} from './service.ts'

/** spec/rest-spec-b.md 4.13, spec/rest-facts-b.md 4 */
export const tenantHandlers = {
  'tenants.list': async (request) =>
    listAnswer(request.list, await listTenants(request, request.list, request.options._get_data ?? false)),

  'tenants.get': (request) =>
    getTenant(request, request.params.tenant_name, request.options._get_data ?? false, request.include),

  async 'tenants.create'(request) {
    await createTenant(request, request.params.tenant_name)
    return getTenant(request, request.params.tenant_name, false, request.include)
  },

  'tenants.delete': (request) => removeTenant(request, request.params.tenant_name),

  'tenantUsers.add': (request) => addMember(request, request.body, request.body.role),
  'tenantUsers.update': (request) => setMemberRole(request, request.body, request.body.role),
  'tenantUsers.remove': (request) => removeMember(request, request.body),

  'tenantGroups.add': (request) => addMember(request, request.body, request.body.role),
  'tenantGroups.update': (request) => setMemberRole(request, request.body, request.body.role),
  'tenantGroups.remove': (request) => removeMember(request, request.body),
} satisfies Partial<Handlers>
