import type { ListQuery } from '@tutti/api'
import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database.ts'
import { columnOf } from './columns.ts'
import { selection } from './list.ts'
import type { ListedResource, Scope } from './resource.ts'

export type SummaryRow = {
  readonly target: unknown
  readonly sub: unknown
  readonly count: number
  /** Of all rows with this target. */
  readonly targetCount: number
}

/** How many rows there are for each value of a field, or for each pair of values; a page of them, and how many. */
export async function summarise(
  db: Database,
  resource: ListedResource,
  query: ListQuery,
  scope: Scope,
  {
    target,
    sub,
    extra = [],
  }: {
    readonly target: string
    readonly sub: string | undefined
    readonly extra?: readonly RawBuilder<unknown>[]
  },
): Promise<{ readonly rows: readonly SummaryRow[]; readonly total: number }> {
  await resource.settling?.settle(db)
  const subColumn = sub === undefined ? sql`null::text` : columnOf(resource, sub, scope)
  const limit = query.getAllResults ? null : query.page.size
  const { rows } = await sql<SummaryRow & { total: number }>`
    with counted as materialized (
      select ${columnOf(resource, target, scope)} as target, ${subColumn} as sub, count(*) as count
      from ${resource.from} where ${selection(resource, query, scope, extra)}
      group by 1, 2
    )
    select target, sub, count, (sum(count) over (partition by target))::bigint as "targetCount",
      count(*) over () as total
    from counted order by target, sub limit ${limit} offset ${query.page.offset}`.execute(db)
  const [first] = rows
  if (first !== undefined || query.page.offset === 0) {
    return { rows, total: first?.total ?? (limit === 0 ? await groups() : 0) }
  }
  return { rows, total: await groups() }

  /** A page without rows does not say how many there are elsewhere. */
  async function groups(): Promise<number> {
    const answer = await sql<{ total: number }>`
      select count(*) as total from (
        select from ${resource.from} where ${selection(resource, query, scope, extra)}
        group by ${columnOf(resource, target, scope)}, ${subColumn}) as counted`.execute(db)
    return answer.rows[0]?.total ?? 0
  }
}
