import { pickIncluded } from '@tutti/api'
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

  'tenants.create': async (request) =>
    pickIncluded(await createTenant(request, request.params.tenant_name), request.include),

  'tenants.delete': (request) => removeTenant(request, request.params.tenant_name),

  'tenantUsers.add': async (request) =>
    pickIncluded(await addMember(request, request.body, request.body.role), request.include),
  'tenantUsers.update': async (request) =>
    pickIncluded(await setMemberRole(request, request.body, request.body.role), request.include),
  'tenantUsers.remove': (request) => removeMember(request, request.body),

  'tenantGroups.add': async (request) =>
    pickIncluded(await addMember(request, request.body, request.body.role), request.include),
  'tenantGroups.update': async (request) =>
    pickIncluded(await setMemberRole(request, request.body, request.body.role), request.include),
  'tenantGroups.remove': (request) => removeMember(request, request.body),
} satisfies Partial<Handlers>
