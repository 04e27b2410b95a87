import { sql } from 'kysely'
import type { ListedResource, Scope } from './resource.ts'

/** For resources that belong to no tenant and nobody: who may list them sees all of them. */
export const namedOnly = {
  tenantId: sql`0`,
  createdBy: sql`''`,
  visibility: sql`'tenant'`,
} satisfies Partial<ListedResource>

export const everything: Scope = {
  username: '',
  tenantIds: [0],
  administeredTenantIds: [0],
  globalTenantIds: [],
}
