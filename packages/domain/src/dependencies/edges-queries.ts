import type { Transaction } from '@tutti/storage'
import { type RawBuilder, sql } from 'kysely'

/**
 * The two ways in which deployments of a tenant point at each other: children at their environments, and users at what
 * they use. Neither may lead in a circle.
 */
export type EdgeKind = 'parents' | 'dependencies'

/** One row an edge: `source` points at `target`. */
const edges: Readonly<Record<EdgeKind, RawBuilder<unknown>>> = {
  parents: sql`(select tenant_id, deployment_id as source, value as target
    from deployment_labels where key = 'csys-obj-parent')`,
  dependencies: sql`(select tenant_id, source_deployment_id as source, target_deployment_id as target
    from inter_deployment_dependencies where source_deployment_id is not null and target_deployment_id is not null)`,
}

/**
 * The first of the targets from which the source can be reached already, so that it may not point at it; undefined when
 * all are well. What is answered holds until the transaction ends.
 *
 * Whoever adds an edge holds its source alone and its target with others: so ten thousand children are added to an
 * environment at once, as nothing points at a child. Only where something points at the source can there be a circle,
 * and only such additions wait for each other.
 */
export async function findCircle(
  transaction: Transaction,
  kind: EdgeKind,
  tenantId: number,
  source: string,
  targets: readonly string[],
): Promise<string | undefined> {
  if (targets.includes(source)) return source
  if (targets.length === 0) return undefined
  const key = (id: RawBuilder<unknown>) => sql`hashtextextended(${`${kind}/${tenantId}/`} || ${id}, 0)`
  // In the order of the keys: two that want the same ones wait for each other, and never both.
  await sql`
    select case when is_source then pg_advisory_xact_lock(key) else pg_advisory_xact_lock_shared(key) end
    from (
      select key, bool_or(is_source) as is_source from (
        select ${key(sql`${source}::text`)} as key, true as is_source
        union all
        select ${key(sql`id`)}, false from unnest(${[...targets]}::text[]) as t (id)
      ) held group by key order by key offset 0
    ) ordered`.execute(transaction)
  const { rows: pointing } = await sql`
    select from ${edges[kind]} e where e.tenant_id = ${tenantId} and e.target = ${source} limit 1`.execute(
    transaction,
  )
  if (pointing.length === 0) return undefined
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${kind}/${tenantId}`}, 1))`.execute(transaction)
  const { rows } = await sql<{ origin: string }>`
    with recursive reached (origin, id) as (
      select id, id from unnest(${[...targets]}::text[]) as t (id)
      union
      select r.origin, e.target from reached r
      join ${edges[kind]} e on e.tenant_id = ${tenantId} and e.source = r.id
    )
    select origin from reached where id = ${source} order by origin limit 1`.execute(transaction)
  return rows[0]?.origin
}
