import type { RolePermission } from '@tutti/api'
import { type Database, type ListedResource, namedOnly } from '@tutti/storage'
import { sql } from 'kysely'

/** The matrix, which is mostly this release's data and no table, listed as everything else is. */
export const grantResource = (grants: readonly RolePermission[]): ListedResource => ({
  model: 'RolePermission',
  from: sql`json_to_recordset(${JSON.stringify(grants)}) as g(role text, permission text)`,
  fields: { role: { column: sql`g.role` }, permission: { column: sql`g.permission` } },
  search: sql`g.permission`,
  ...namedOnly,
  tieBreaker: sql`(g.permission, g.role)`,
})

/** What the matrix says from now on, for this role and permission, whatever the release says. */
export async function setGrant(
  transaction: Database,
  grant: { readonly role: string; readonly permission: string; readonly isGranted: boolean },
): Promise<void> {
  const { role, permission, isGranted } = grant
  await transaction
    .insertInto('role_permissions')
    .values({ role, permission, is_granted: isGranted })
    .onConflict((conflict) => conflict.columns(['role', 'permission']).doUpdateSet({ is_granted: isGranted }))
    .execute()
}

/** One edit after the other, until the transaction ends. */
export async function lockPermissions(transaction: Database): Promise<void> {
  await sql`lock table role_permissions in share row exclusive mode`.execute(transaction)
}
