import type { FilterRule } from '@tutti/api'
import type { Database, ListedResource, Scope } from '@tutti/storage'
import {
  blueprintFilterTable,
  blueprintLabels,
  columnOf,
  deploymentFilterTable,
  deploymentLabels,
  findOwned,
  ruleConditions,
} from '@tutti/storage'
import { sql } from 'kysely'
import type { Key } from './queries.ts'

type Filtered = Pick<ListedResource, 'model' | 'from' | 'fields' | 'tenantId' | 'labelled' | 'attributes'>

const fieldsOf = (alias: string, names: readonly string[]): ListedResource['fields'] => ({
  tenant_name: { column: sql`tenants.name` },
  ...Object.fromEntries(names.map((name) => [name, { column: sql.ref(`${alias}.${name}`) }])),
})

/** What rules may ask of each kind (docs/reference/rest-conventions.md, "Filter rules"). */
const kinds = {
  deployment_id: {
    filters: deploymentFilterTable,
    filtered: {
      model: 'Deployment',
      from: sql`deployments d join tenants on tenants.id = d.tenant_id`,
      fields: {
        ...fieldsOf('d', ['id', 'blueprint_id', 'created_by', 'site_name', 'display_name']),
        installation_status: { column: sql`coalesce(d.installation_status, 'inactive')` },
      },
      tenantId: sql`d.tenant_id`,
      labelled: deploymentLabels,
      attributes: { schedules: sql`null::text` },
    },
  },
  blueprint_id: {
    filters: blueprintFilterTable,
    filtered: {
      model: 'Blueprint',
      from: sql`blueprints b join tenants on tenants.id = b.tenant_id`,
      fields: fieldsOf('b', ['id', 'created_by', 'state']),
      tenantId: sql`b.tenant_id`,
      labelled: blueprintLabels,
    },
  },
} as const satisfies Readonly<Record<string, { readonly filtered: Filtered; readonly filters: unknown }>>

/** Whether a stored filter lets a deployment or blueprint through; one that the scope does not show lets nothing. */
export async function passesFilter(
  db: Database,
  scope: Scope,
  kind: keyof typeof kinds,
  { tenantId, id }: Key,
  filterId: string,
): Promise<boolean> {
  const { filters, filtered } = kinds[kind]
  const [home = -1] = scope.tenantIds
  const filter = await findOwned<{ value: readonly FilterRule[] }>(db, filters, home, filterId, ['value'])
  if (filter === undefined) return false
  const isSomebodys = filter.visibility === 'private' && filter.created_by !== scope.username
  if (isSomebodys && !scope.administeredTenantIds.includes(filter.tenant_id)) return false
  const resource: ListedResource = {
    ...filtered,
    search: sql`''`,
    createdBy: sql`''`,
    visibility: sql`''`,
    tieBreaker: sql`1`,
  }
  const conditions = [
    sql`${filtered.tenantId} = ${tenantId}`,
    sql`${columnOf(resource, 'id', scope)} = ${id}`,
    ...ruleConditions(resource, filter.value, scope),
  ]
  const { rows } = await sql`select from ${filtered.from} where ${sql.join(conditions, sql` and `)}`.execute(
    db,
  )
  return rows.length > 0
}
