import { sql } from 'kysely'
import type { Database } from './database.ts'

/** The label by which a deployment shows who uses it; it is computed and nobody sets it (spec/rest-facts-a.md 10). */
export const consumerLabel = 'csys-consumer-id'

/** One at a time may add dependencies in a tenant: two that are fine alone may make a circle together. */
export async function lockDependencies(transaction: Database, tenantId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('tutti.dependencies'), ${tenantId}::int)`.execute(
    transaction,
  )
}

/** Whether `from` depends on `on`, directly or through others. */
export async function dependsOn(db: Database, tenantId: number, from: string, on: string): Promise<boolean> {
  const { rows } = await sql`
    with recursive targets (id) as (
      select ${from}::text
      union
      select p.target_deployment_id from inter_deployment_dependencies p
      join targets on p.source_deployment_id = targets.id
      where p.tenant_id = ${tenantId} and p.target_deployment_id is not null
    ) select from targets where id = ${on} limit 1`.execute(db)
  return rows.length > 0
}

/**
 * Makes the labels of those that the deployment uses say so, and those of all others not. Components belong to it, and
 * carry none. Whoever changes dependencies of a deployment, or deletes it, calls this last.
 */
export async function showConsumer(transaction: Database, tenantId: number, source: string): Promise<void> {
  const used = sql`select d.id, p.created_by from inter_deployment_dependencies p
    join deployments d on d.tenant_id = p.tenant_id and d.id = p.target_deployment_id
    where p.tenant_id = ${tenantId} and p.source_deployment_id = ${source}
      and split_part(p.dependency_creator, '.', 1) <> 'component'`
  await sql`
    delete from deployment_labels
    where tenant_id = ${tenantId} and key = ${consumerLabel} and value = ${source}
      and deployment_id not in (select id from (${used}) as u)`.execute(transaction)
  await sql`
    insert into deployment_labels (tenant_id, deployment_id, key, value, created_by)
    select distinct on (u.id) ${tenantId}::int, u.id, ${consumerLabel}, ${source}, u.created_by from (${used}) as u
    order by u.id
    on conflict do nothing`.execute(transaction)
}
