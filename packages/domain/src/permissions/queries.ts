import type { Transaction } from '@tutti/storage'
import { sql } from 'kysely'

/** What the matrix says from now on, for this role and permission, whatever the release says. */
export async function writeGrant(
  transaction: Transaction,
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
export async function lockPermissions(transaction: Transaction): Promise<void> {
  await sql`lock table role_permissions in share row exclusive mode`.execute(transaction)
}
