import { isPermitted, type ListQuery, notFound } from '@tutti/api'
import { findItem, type ListedPage, listPage, type Scope } from '@tutti/storage'
import { type Request, requirePermission, tenantOf } from '../../request.ts'
import { listTenantsOf, tenantIdIs, tenantResource } from './queries.ts'

/** All tenants for who may see all, else those that the caller belongs to (spec/rest-facts-b.md 4). */
export async function listTenants(request: Request, list: ListQuery, withData: boolean): Promise<ListedPage> {
  if (withData) requirePermission(request, 'tenant_list_get_data')
  const { caller, services } = request
  const seesAll = isPermitted('all_tenants', [caller.systemRole])
  const tenants = await listTenantsOf(services.db, caller.userId)
  const ids = tenants.filter(({ role }) => seesAll || role !== null).map(({ id }) => id)
  return listPage(services.db, tenantResource(withData), list, scopeOf(ids))
}

/** The tenant of the request's path, which the pipeline has found already. */
export async function getTenant(request: Request, withData: boolean, include?: readonly string[]) {
  const { id, name } = tenantOf(request)
  const { db } = request.services
  const item = await findItem(db, tenantResource(withData), tenantIdIs(id), scopeOf([id]), include)
  if (item === undefined) throw notFound('Tenant', name)
  return item
}

function scopeOf(tenantIds: readonly number[]): Scope {
  return { username: '', tenantIds, administeredTenantIds: tenantIds, globalTenantIds: [] }
}
