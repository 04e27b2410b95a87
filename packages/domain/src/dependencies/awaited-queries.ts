import type { Transaction } from '@tutti/storage'
import { sql } from 'kysely'
import { consumerKey } from './consumers-queries.ts'
import { findCircle } from './edges-queries.ts'
import { holdTargets, seenBy } from './targets-queries.ts'

const lockKey = (tenantId: number) => sql`hashtextextended(${`awaited/${tenantId}`}, 0)`

/**
 * The targets that the user can make deployments depend on, as `holdTargets` finds them. That one is missing holds until
 * the transaction ends: whoever creates it meanwhile waits, and then links what waits for it.
 */
export async function holdTargetsOrAwait(
  transaction: Transaction,
  tenantId: number,
  username: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await holdTargets(transaction, tenantId, username, ids)
  if (ids.every((id) => found.has(id))) return found
  await sql`select pg_advisory_xact_lock(${lockKey(tenantId)})`.execute(transaction)
  return holdTargets(transaction, tenantId, username, ids)
}

/**
 * Points the dependencies that wait for these deployments at them, unless whoever said that there is the dependency may
 * not see them. For whoever has just inserted them.
 */
export const linkAwaiting = (transaction: Transaction, tenantId: number, ids: readonly string[]) =>
  link(transaction, tenantId, ids, 'nothing')

/**
 * The same for deployments that were there before: they are seen by others now, or are not deleted after all. What would
 * become a circle goes on waiting.
 */
export const linkAwaitingAgain = (transaction: Transaction, tenantId: number, ids: readonly string[]) =>
  link(transaction, tenantId, ids, 'something')

async function link(
  transaction: Transaction,
  tenantId: number,
  ids: readonly string[],
  /** What these depend on themselves. */
  theirs: 'nothing' | 'something',
): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${lockKey(tenantId)})`.execute(transaction)
  const these = sql`any(${[...ids]}::text[])`
  const { rows: sources } = await sql<{ id: string }>`
    select d.id from deployments d
    where d.tenant_id = ${tenantId} and d.id in (
      select source_deployment_id from inter_deployment_dependencies
      where tenant_id = ${tenantId} and awaited_target_id = ${these})
    order by d.id for no key update`.execute(transaction)
  const { rows: external } = await sql`
    select from inter_deployment_dependencies
    where tenant_id = ${tenantId} and awaited_target_id = ${these} and source_deployment_id is null limit 1`.execute(
    transaction,
  )
  if (sources.length + external.length === 0) return
  const found = theirs === 'nothing' ? [] : sources.map(({ id }) => id)
  const closed: { source: string; target: string }[] = []
  for (const source of found) {
    for (const target of ids) {
      const circle = await findCircle(transaction, 'dependencies', tenantId, source, [target])
      if (circle !== undefined) closed.push({ source, target })
    }
  }
  await sql`
    with linked as (
      update inter_deployment_dependencies p
      set target_deployment_id = awaited_target_id, awaited_target_id = null
      from deployments d
      where p.tenant_id = ${tenantId} and p.awaited_target_id = ${these}
        and d.tenant_id = p.tenant_id and d.id = p.awaited_target_id and ${seenBy('d', sql.ref('p.created_by'))}
        and not exists (
          select from unnest(${closed.map(({ source }) => source)}::text[],
            ${closed.map(({ target }) => target)}::text[]) as c (source, target)
          where c.source = p.source_deployment_id and c.target = p.awaited_target_id)
      returning p.source_deployment_id, p.target_deployment_id, p.dependency_creator, p.created_by
    )
    insert into deployment_labels (tenant_id, deployment_id, key, value, created_by)
    select distinct on (target_deployment_id, source_deployment_id)
      ${tenantId}::int, target_deployment_id, ${consumerKey}, source_deployment_id, created_by
    from linked
    where source_deployment_id is not null and dependency_creator not like 'component.%'
    order by target_deployment_id, source_deployment_id, created_by
    on conflict do nothing`.execute(transaction)
}

/** What points at a deployment that is about to go waits for another one of its id. */
export async function awaitAgain(transaction: Transaction, tenantId: number, id: string): Promise<void> {
  await sql`
    update inter_deployment_dependencies
    set awaited_target_id = target_deployment_id, target_deployment_id = null
    where tenant_id = ${tenantId} and target_deployment_id = ${id}
      and source_deployment_id is distinct from ${id}`.execute(transaction)
}
