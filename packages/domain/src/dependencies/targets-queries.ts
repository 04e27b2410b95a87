import { isActive, type Transaction } from '@tutti/storage'
import { type RawBuilder, sql } from 'kysely'
import { administeredBy } from '../scope-of-queries.ts'

/** Whether the user, who may be named by a column, sees the deployment. */
export const seenBy = (
  alias: string,
  username: string | RawBuilder<unknown>,
): RawBuilder<boolean> => sql<boolean>`(
  ${sql.ref(`${alias}.visibility`)} <> 'private' or ${sql.ref(`${alias}.created_by`)} = ${username}
  or ${administeredBy(sql.ref(`${alias}.tenant_id`), username)})`

/**
 * Which of these deployments of the tenant the user can make others depend on: those that are there, that he may see,
 * and that nobody is deleting. They stay until the transaction ends; a deletion that begins meanwhile waits and then
 * sees what depends on them.
 */
export async function holdTargets(
  transaction: Transaction,
  tenantId: number,
  username: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  await sql`
    select id from deployments where tenant_id = ${tenantId} and id = any(${[...ids]}::text[])
    order by id for key share`.execute(transaction)
  // A statement of its own: it sees what those did who were waited for.
  const { rows } = await sql<{ id: string }>`
    select d.id from deployments d
    where d.tenant_id = ${tenantId} and d.id = any(${[...ids]}::text[])
      and ${seenBy('d', username)}
      and not exists (
        select from executions e where e.tenant_id = d.tenant_id and e.deployment_id = d.id
          and e.workflow_id = 'delete_deployment_environment' and ${isActive})
    `.execute(transaction)
  return new Set(rows.map((row) => row.id))
}

/** Locks the deployment's row for whoever changes what it points at. False when it is not there. */
export async function holdSource(transaction: Transaction, tenantId: number, id: string): Promise<boolean> {
  const row = await transaction
    .selectFrom('deployments')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined
}
