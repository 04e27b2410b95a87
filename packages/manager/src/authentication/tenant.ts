import { unknownTenant } from '@tutti/api'
import type { Services } from '../services.ts'
import type { Caller } from './authenticate.ts'
import { findTenantFor } from './queries.ts'

/** The named tenant with the caller's role in it. @throws forbidden_error when there is none of that name */
export async function callersTenant({ db }: Services, caller: Caller, name: string) {
  const tenant = await findTenantFor(db, caller.userId, name)
  // An execution's token acts in that execution's tenant only, with the rights of whoever started it.
  const isForeign = caller.execution !== undefined && caller.execution.tenantId !== tenant?.id
  if (tenant === undefined || isForeign) throw unknownTenant(name)
  return tenant
}
