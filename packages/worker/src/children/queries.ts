import { seenBy } from '@tutti/domain/dependencies'
import { type Database, isActiveOrQueued, type Transaction } from '@tutti/storage'
import { sql } from 'kysely'

/** A deployment that a label says to be in another one. */
export type Child = {
  readonly id: string
  readonly displayName: string
  readonly blueprintId: string
  readonly visibility: 'private' | 'tenant' | 'global'
  readonly hasWorkflow: boolean
  readonly isSeen: boolean
}

export async function listChildren(
  db: Database,
  tenantId: number,
  parentId: string,
  options: { readonly workflowId: string; readonly username: string },
): Promise<readonly Child[]> {
  const { rows } = await sql<Child>`
    select d.id, d.display_name as "displayName", d.blueprint_id as "blueprintId", d.visibility,
      (d.workflows -> ${options.workflowId}::text) is not null as "hasWorkflow",
      ${seenBy('d', options.username)} as "isSeen"
    from deployment_labels l
    join deployments d on d.tenant_id = l.tenant_id and d.id = l.deployment_id
    where l.tenant_id = ${tenantId} and l.key = 'csys-obj-parent' and l.value = ${parentId}
    order by d.id`.execute(db)
  return rows
}

/** Whether nothing may be started on the deployment now: something runs there or waits, or a system workflow does. */
export async function isBusy(db: Database, tenantId: number, deploymentId: string): Promise<boolean> {
  const row = await db
    .selectFrom('executions')
    .select('id')
    .where(isActiveOrQueued)
    .where((eb) =>
      eb.or([
        eb('is_system_workflow', '=', true),
        eb.and([eb('tenant_id', '=', tenantId), eb('deployment_id', '=', deploymentId)]),
      ]),
    )
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Statuses of these executions; those that are gone are not among them. */
export async function readStatuses(
  db: Database,
  tenantId: number,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('executions')
    .select(['id', 'status'])
    .where('tenant_id', '=', tenantId)
    .where(sql<boolean>`id = any(${[...ids]}::text[])`)
    .execute()
  return new Map(rows.map((row) => [row.id, row.status]))
}

/** Locks the execution's row; undefined when it is gone. */
export async function lockStatus(
  transaction: Transaction,
  tenantId: number,
  id: string,
): Promise<string | undefined> {
  const row = await transaction
    .selectFrom('executions')
    .select('status')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row?.status
}
