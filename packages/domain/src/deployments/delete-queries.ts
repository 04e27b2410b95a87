import { type Database, isActiveOrQueued, type Transaction } from '@tutti/storage'
import { sql } from 'kysely'

/** A deployment on which something runs or waits, with a few of what does. */
export async function unfinishedExecutions(db: Database, tenantId: number, ids: readonly string[]) {
  const { rows } = await sql<{ id: string; found: string[] }>`
    select deployment_id as id, (array_agg(
      id || ' (' || workflow_id || ', ' || status || ')' order by created_at))[1:5] as found
    from executions
    where tenant_id = ${tenantId} and deployment_id = any(${[...ids]}::text[]) and ${isActiveOrQueued}
    group by deployment_id order by deployment_id limit 1`.execute(db)
  return rows[0]
}

/** A deployment that has instances which are neither new nor gone, with a few of them. */
export async function liveInstances(db: Database, tenantId: number, ids: readonly string[]) {
  const { rows } = await sql<{ id: string; found: string[] }>`
    select deployment_id as id, (array_agg(id order by id))[1:20] as found
    from node_instances
    where tenant_id = ${tenantId} and deployment_id = any(${[...ids]}::text[])
      and state not in ('uninitialized', 'deleted')
    group by deployment_id order by deployment_id limit 1`.execute(db)
  return rows[0]
}

/** Alone from now on: nobody may begin to depend on one of them while it is looked at who does. */
export async function lockForDeletion(
  transaction: Transaction,
  tenantId: number,
  ids: readonly string[],
): Promise<void> {
  await sql`
    select from deployments where tenant_id = ${tenantId} and id = any(${[...ids]}::text[])
    order by id for update`.execute(transaction)
}

/** Of these, those that are still there. */
export async function setInProgress(
  db: Database,
  tenantId: number,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .updateTable('deployments')
    .set({ deployment_status: 'in_progress' })
    .where('tenant_id', '=', tenantId)
    .where(sql<boolean>`id = any(${[...ids]}::text[])`)
    .returning('id')
    .execute()
  return new Set(rows.map((row) => row.id))
}
