import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database.ts'
import { ownedAs } from './owned-as.ts'
import type { Scope } from './resource.ts'
import { visibleIn } from './visible.ts'

/** What keeps something from being deleted: the ids of a few that the scope shows, and how many there are at all. */
export type Users = { readonly ids: readonly string[]; readonly total: number }

const named = 5
const idColumns = { blueprints: 'id', deployments: 'id', secrets: 'key' } as const

/** Rows `x` of the table that use it, wherever they are: those of other tenants and other users are only counted. */
export async function usersOf(
  db: Database,
  scope: Scope,
  table: keyof typeof idColumns,
  isUser: RawBuilder<unknown>,
): Promise<Users> {
  const id = sql.ref(`x.${idColumns[table]}`)
  const { rows } = await sql<Users>`
    with used as materialized (select ${id} as id, ${visibleIn(ownedAs('x'), scope)} as is_seen
      from ${sql.table(table)} x where ${isUser})
    select (select count(*) from used) as total,
      array(select id from used where is_seen order by id limit ${named}) as ids`.execute(db)
  return rows[0] ?? { ids: [], total: 0 }
}

/** `a, b`, `a and 3 others`, or only how many there are. */
export function usersText({ ids, total }: Users): string {
  const others = total - ids.length
  if (others === 0) return ids.join(', ')
  if (ids.length === 0) return `${others} that you do not see`
  return `${ids.join(', ')} and ${others} ${others === 1 ? 'other' : 'others'}`
}
