import { type Database, isActive, notify, type Queue } from '@tutti/storage'
import { sql } from 'kysely'
import { dequeueExecutions } from '../executions/index.ts'

/** False when it was requested before. */
export async function requestMaintenance(db: Database, username: string): Promise<boolean> {
  const row = await db
    .insertInto('maintenance')
    .values({ requested_by: username })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Begins maintenance that was requested, once no execution is active any more. */
export async function beginMaintenance(db: Database): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await transaction
      .updateTable('maintenance')
      .set({ activated_at: sql`clock_timestamp()` })
      .where('activated_at', 'is', null)
      .where(sql<boolean>`not exists (select from executions where ${isActive})`)
      .execute()
    await notify(transaction, { kind: 'state_changed', state: 'maintenance' })
  })
}

/** False when there was none. What waited meanwhile starts. */
export async function endMaintenance(db: Database, queue: Queue): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const row = await transaction.deleteFrom('maintenance').returning('id').executeTakeFirst()
    if (row === undefined) return false
    await dequeueExecutions(transaction, queue)
    await notify(transaction, { kind: 'state_changed', state: 'maintenance' })
    return true
  })
}

/** Of all tenants: maintenance waits for them, whoever started them. */
export async function listRemaining(db: Database) {
  return db
    .selectFrom('executions')
    .select(['id', 'status', 'deployment_id', 'workflow_id'])
    .where(isActive)
    .orderBy('created_at')
    .execute()
}
