import { tenantOf } from '@tutti/domain'
import {
  addMember,
  createTenant,
  getTenant,
  listTenants,
  removeMember,
  removeTenant,
  setMemberRole,
} from '@tutti/domain/tenants'
import type { Handlers } from '../../request.ts'

/** docs/reference/access.md, "Tenants" */
export const tenantHandlers = {
  'tenants.list': (request) => listTenants(request, request.list, request.options._get_data ?? false),

  'tenants.get': (request) =>
    getTenant(request, request.params.tenant_name, request.options._get_data ?? false, request.include),

  async 'tenants.create'(request) {
    await createTenant(request, request.params.tenant_name)
    return getTenant(request, request.params.tenant_name, false, request.include)
  },

  'tenants.delete': (request) => removeTenant(request, request.params.tenant_name),

  async 'tenantUsers.add'(request) {
    await addMember(request, request.body, request.body.role)
    return getTenant(request, tenantOf(request).name, false, request.include)
  },
  async 'tenantUsers.update'(request) {
    await setMemberRole(request, request.body, request.body.role)
    return getTenant(request, tenantOf(request).name, false, request.include)
  },
  'tenantUsers.remove': (request) => removeMember(request, request.body),

  async 'tenantGroups.add'(request) {
    await addMember(request, request.body, request.body.role)
    return getTenant(request, tenantOf(request).name, false, request.include)
  },
  async 'tenantGroups.update'(request) {
    await setMemberRole(request, request.body, request.body.role)
    return getTenant(request, tenantOf(request).name, false, request.include)
  },
  'tenantGroups.remove': (request) => removeMember(request, request.body),
} satisfies Partial<Handlers>
