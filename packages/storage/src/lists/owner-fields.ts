import { type RawBuilder, sql } from 'kysely'
import type { ListedField, Owned } from './resource.ts'

/** A timestamp column as the wire shows it: `YYYY-MM-DDTHH:MM:SS.mmmZ`. */
export function timeField(column: RawBuilder<unknown>): ListedField {
  return { column, toWire: (value) => (value instanceof Date ? value.toISOString() : null) }
}

/** The columns that say who sees a row of the table of that alias. */
export const ownedAs = (alias: string): Owned => ({
  tenantId: sql.ref(`${alias}.tenant_id`),
  createdBy: sql.ref(`${alias}.created_by`),
  visibility: sql.ref(`${alias}.visibility`),
})

/**
 * The fields that every resource of a tenant carries (spec/rest-facts-a.md 3). `alias` is the table's name in the
 * `from` clause, which must join `tenants`.
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

/** Label objects of a resource (spec/rest-spec-a.md 2.12), oldest first; `isSeen` says which of its labels `l`. */
export function labelsField(
  table: string,
  idColumn: string,
  alias: string,
  isSeen: RawBuilder<unknown> = sql`true`,
): ListedField {
  return {
    column: sql`(select coalesce(json_agg(json_build_object(
        'key', l.key, 'value', l.value, 'created_at', l.created_at, 'created_by', l.created_by, 'creator_id', u.id
      ) order by l.created_at, l.key, l.value), '[]'::json)
      from ${sql.table(table)} l left join users u on u.username = l.created_by
      where l.tenant_id = ${sql.ref(`${alias}.tenant_id`)} and l.${sql.ref(idColumn)} = ${sql.ref(`${alias}.id`)}
        and ${isSeen})`,
    toWire: (labels) =>
      (labels as { created_at: string }[]).map((label) => ({
        ...label,
        created_at: new Date(label.created_at).toISOString(),
      })),
  }
}

/** What `_sort=label:KEY` orders by. */
export function labelValue(
  table: string,
  idColumn: string,
  alias: string,
  isSeen: RawBuilder<unknown> = sql`true`,
) {
  return (key: string) => sql`(select min(l.value) from ${sql.table(table)} l
    where l.tenant_id = ${sql.ref(`${alias}.tenant_id`)} and l.${sql.ref(idColumn)} = ${sql.ref(`${alias}.id`)}
      and l.key = ${key} and ${isSeen})`
}
