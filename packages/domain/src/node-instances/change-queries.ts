import type { RewiredNodeInstance } from '@tutti/engine'
import { inParts, type Transaction, toJson } from '@tutti/storage'
import { sql } from 'kysely'

/** The deployment with the number of its instances, locked: whoever adds instances counts them first. */
export async function lockDeploymentOf(transaction: Transaction, tenantId: number, id: string) {
  return transaction
    .selectFrom('deployments as d')
    .innerJoin('tenants as t', 't.id', 'd.tenant_id')
    .select([
      'd.tenant_id',
      't.name as tenant_name',
      'd.visibility',
      'd.created_by',
      sql<number>`(select count(*)::int from node_instances i
        where i.tenant_id = d.tenant_id and i.deployment_id = d.id)`.as('instances'),
    ])
    .where('d.tenant_id', '=', tenantId)
    .where('d.id', '=', id)
    .forNoKeyUpdate('d')
    .executeTakeFirst()
}

/** The ids of those that were there. */
export async function deleteInstances(
  transaction: Transaction,
  tenantId: number,
  deploymentId: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  if (ids.length === 0) return []
  const rows = await transaction
    .deleteFrom('node_instances')
    .where('tenant_id', '=', tenantId)
    .where('deployment_id', '=', deploymentId)
    .where(sql<boolean>`id = any(${[...ids]}::text[])`)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Gives instances their relationships, which counts as a change of each; the ids of those that are there. */
export async function rewireInstances(
  transaction: Transaction,
  tenantId: number,
  deploymentId: string,
  rewired: readonly RewiredNodeInstance[],
): Promise<readonly string[]> {
  const ids: string[] = []
  for (const part of inParts(rewired)) {
    const { rows } = await sql<{ id: string }>`
      update node_instances i set relationships = r.relationships, version = i.version + 1
      from unnest(
        ${part.map(({ id }) => id)}::text[],
        ${part.map(({ relationships }) => toJson(relationships))}::json[]
      ) as r (id, relationships)
      where i.tenant_id = ${tenantId} and i.deployment_id = ${deploymentId} and i.id = r.id
      returning i.id`.execute(transaction)
    for (const { id } of rows) ids.push(id)
  }
  return ids
}

/** The nodes of those of these instances that are there. */
export async function readNodesOf(
  transaction: Transaction,
  tenantId: number,
  deploymentId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; node_id: string }>`
    select id, node_id from node_instances
    where tenant_id = ${tenantId} and deployment_id = ${deploymentId} and id = any(${[...ids]}::text[])`.execute(
    transaction,
  )
  return new Map(rows.map(({ id, node_id }) => [id, node_id]))
}
