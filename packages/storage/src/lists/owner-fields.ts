import { type RawBuilder, sql } from 'kysely'
import type { LabelledTable } from '../labelled-table.ts'
import { isSeenLabel } from '../labels.ts'
import { ownedAs } from './owned-as.ts'
import type { Column, ListedField, ListedResource, Scope } from './resource.ts'

/** A timestamp column as the wire shows it: `YYYY-MM-DDTHH:MM:SS.mmmZ`. */
export const timeField = (column: RawBuilder<unknown>): ListedField => ({ column, shown: wireTime(column) })

/** The text of a time; milliseconds, the rest of it cut off. */
export const wireTime = (column: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** The same with the id, which rows are searched by and which breaks ties of their order. */
export function ownedRows(alias: string, id = 'id') {
  const idColumn = sql.ref(`${alias}.${id}`)
  return { search: idColumn, ...ownedAs(alias), tieBreaker: idColumn } satisfies Partial<ListedResource>
}

/**
 * The fields that every resource of a tenant carries (docs/reference/rest-conventions.md, "Owner fields"). `alias` is
 * the table's name in the `from` clause, which must join `tenants`.
 */
export function ownerFields(alias: string): Readonly<Record<string, ListedField>> {
  const visibility = sql.ref(`${alias}.visibility`)
  return {
    created_at: timeField(sql.ref(`${alias}.created_at`)),
    created_by: { column: sql.ref(`${alias}.created_by`) },
    tenant_name: { column: sql`tenants.name` },
    visibility: { column: visibility },
    resource_availability: { column: visibility },
    private_resource: { column: sql`(${visibility} = 'private')` },
  }
}

/** Label objects of a resource (docs/reference/sites-filters-labels.md, "Labels"), oldest first. */
export const labelsField = (labelled: LabelledTable, alias: string): ListedField => ({
  column: byScope(
    labelled,
    (isSeen) => sql`(select coalesce(json_agg(json_build_object(
        'key', l.key, 'value', l.value, 'created_at', ${wireTime(sql`l.created_at`)}, 'created_by', l.created_by
      ) order by l.created_at, l.key, l.value), '[]'::json)
      from ${labelsOf(labelled, alias)} and ${isSeen})`,
  ),
})

/** What `_sort=label:KEY` orders by. */
export const labelValue = (labelled: LabelledTable, alias: string) => (key: string, scope: Scope) =>
  sql`(select min(l.value) from ${labelsOf(labelled, alias)}
    and l.key = ${key} and ${isSeenLabel(labelled, scope)})`

const labelsOf = ({ table, idColumn }: LabelledTable, alias: string) =>
  sql`${sql.table(table)} l
    where l.tenant_id = ${sql.ref(`${alias}.tenant_id`)} and l.${sql.ref(idColumn)} = ${sql.ref(`${alias}.id`)}`

/** Labels that name nothing are the same for everybody. */
function byScope(
  labelled: LabelledTable,
  column: (isSeen: RawBuilder<unknown>) => RawBuilder<unknown>,
): Column {
  if (labelled.computed.length === 0) return column(sql`true`)
  return (scope) => column(isSeenLabel(labelled, scope))
}
