import type { FilterRule } from '@tutti/api'
import {
  blueprintFilterTable,
  type Database,
  deploymentFilterTable,
  type OwnedRow,
  type OwnedTable,
  ownedResource,
  timeField,
  toJson,
  type Visibility,
} from '@tutti/storage'
import { sql } from 'kysely'

export type StoredFilter = { readonly value: readonly FilterRule[]; readonly is_system_filter: boolean }

const rulesOfType = (type: FilterRule['type']) => ({
  column: sql`x.value`,
  toWire: (rules: unknown) => (rules as readonly FilterRule[]).filter((rule) => rule.type === type),
})

/** docs/reference/sites-filters-labels.md, "Filters". */
const filterResource = (owned: OwnedTable) =>
  ownedResource(owned, {
    value: { column: sql`x.value` },
    labels_filter_rules: rulesOfType('label'),
    attrs_filter_rules: rulesOfType('attribute'),
    is_system_filter: { column: sql`x.is_system_filter` },
    updated_at: timeField(sql`x.updated_at`),
  })

export const filtersFor = {
  deployments: { owned: deploymentFilterTable, resource: filterResource(deploymentFilterTable) },
  blueprints: { owned: blueprintFilterTable, resource: filterResource(blueprintFilterTable) },
} as const

const tableOf = (filtered: keyof typeof filtersFor) =>
  filtered === 'deployments' ? 'deployment_filters' : 'blueprint_filters'

export async function insertFilter(
  db: Database,
  filtered: keyof typeof filtersFor,
  filter: {
    readonly tenant_id: number
    readonly id: string
    readonly rules: readonly FilterRule[]
    readonly visibility: Visibility
    readonly created_by: string
    readonly created_at?: Date
  },
): Promise<void> {
  const { rules, ...owner } = filter
  await db
    .insertInto(tableOf(filtered))
    .values({ ...owner, value: toJson(rules) })
    .execute()
}

export async function updateFilter(
  db: Database,
  filtered: keyof typeof filtersFor,
  { tenant_id, id }: OwnedRow,
  change: { readonly rules?: readonly FilterRule[]; readonly visibility?: Visibility },
): Promise<void> {
  await db
    .updateTable(tableOf(filtered))
    .set({
      updated_at: sql`clock_timestamp()`,
      ...(change.rules !== undefined && { value: toJson(change.rules) }),
      ...(change.visibility !== undefined && { visibility: change.visibility }),
    })
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', id)
    .execute()
}
