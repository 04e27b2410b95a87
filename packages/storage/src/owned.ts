import { sql } from 'kysely'
import type { Database, Transaction } from './database.ts'
import { ownedRows, ownerFields } from './lists/owner-fields.ts'
import type { ListedField, ListedResource } from './lists/resource.ts'
import type { Schema, Visibility } from './schema.ts'
import { unawaited } from './sent-together.ts'

/**
 * A table of things that belong to a tenant and that somebody created: their ids are unique in the tenant, and those
 * of global ones in all tenants (docs/reference/rest-conventions.md, "Visibility").
 */
export type OwnedTable = {
  /** Name of the model in messages: Blueprint, Site, … */
  readonly model: string
  readonly table: keyof Schema & string
  /** The column that holds the id. */
  readonly id: 'id' | 'name' | 'key'
}

export const blueprintTable: OwnedTable = { model: 'Blueprint', table: 'blueprints', id: 'id' }
export const deploymentTable: OwnedTable = { model: 'Deployment', table: 'deployments', id: 'id' }
export const deploymentGroupTable: OwnedTable = {
  model: 'DeploymentGroup',
  table: 'deployment_groups',
  id: 'id',
}
export const executionGroupTable: OwnedTable = {
  model: 'ExecutionGroup',
  table: 'execution_groups',
  id: 'id',
}
export const siteTable: OwnedTable = { model: 'Site', table: 'sites', id: 'name' }
export const deploymentFilterTable: OwnedTable = {
  model: 'DeploymentsFilter',
  table: 'deployment_filters',
  id: 'id',
}
export const blueprintFilterTable: OwnedTable = {
  model: 'BlueprintsFilter',
  table: 'blueprint_filters',
  id: 'id',
}
export const secretTable: OwnedTable = { model: 'Secret', table: 'secrets', id: 'key' }
export const providerTable: OwnedTable = { model: 'SecretsProvider', table: 'secrets_providers', id: 'name' }
export const pluginTable: OwnedTable = { model: 'Plugin', table: 'plugins', id: 'id' }
export const agentTable: OwnedTable = { model: 'Agent', table: 'agents', id: 'id' }

/**
 * The tables of what a tenant holds and a user owns, by the word for it. What runs or has ended is not among it: it goes
 * with what it belongs to.
 */
export const holdings = {
  blueprints: 'blueprints',
  deployments: 'deployments',
  plugins: 'plugins',
  sites: 'sites',
  'deployment groups': 'deployment_groups',
  secrets: 'secrets',
  'deployment filters': 'deployment_filters',
  'blueprint filters': 'blueprint_filters',
  'secrets providers': 'secrets_providers',
} as const

/**
 * The tenants whose global resources are to be seen everywhere. Every holding has a small index of its global rows; nodes
 * and executions are as their deployment is. The filters that every manager has are in none of the lists of others.
 */
export async function tenantsWithGlobals(db: Database): Promise<readonly number[]> {
  const ofTable = Object.values(holdings).map((table) => {
    const isOwn = table === 'deployment_filters' ? sql`and not is_system_filter` : sql``
    return sql`select tenant_id as id from ${sql.table(table)} where visibility = 'global' ${isOwn}`
  })
  const { rows } = await sql<{ id: number }>`${sql.join(ofTable, sql` union `)}`.execute(db)
  return rows.map(({ id }) => id)
}

export type OwnedRow = {
  readonly tenant_id: number
  readonly tenant_name: string
  readonly id: string
  readonly visibility: Visibility
  readonly created_by: string
}

/**
 * Serialises everything that decides whether an id may exist: that a global one is the only one of all tenants is
 * something that no index can say.
 */
export async function lockId(transaction: Transaction, owned: OwnedTable, id: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockKey(owned, id)}) ${unawaited}`.execute(transaction)
}

/** Keeps the id as it is until the transaction ends, for any number of transactions at once. */
export async function holdId(transaction: Transaction, owned: OwnedTable, id: string): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${lockKey(owned, id)}) ${unawaited}`.execute(transaction)
}

/**
 * For whoever creates any number at once: instead of a lock for each id, of which PostgreSQL has only so many, it is
 * held that none of the kind becomes global meanwhile. That an id is free in the tenant is the primary key's affair.
 */
export async function holdGlobals(transaction: Transaction, owned: OwnedTable): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${globalsKey(owned)}) ${unawaited}`.execute(transaction)
}

/** Taken by what becomes global, after the lock of its id. */
export async function lockGlobals(transaction: Transaction, owned: OwnedTable): Promise<void> {
  await sql`select pg_advisory_xact_lock(${globalsKey(owned)}) ${unawaited}`.execute(transaction)
}

const globalsKey = ({ table }: OwnedTable) => sql`hashtextextended(${`global ${table}`}, 0)`

const lockKey = ({ table }: OwnedTable, id: string) => sql`hashtextextended(${`${table}/${id}`}, 0)`

/** The row of that id in the tenant, else a global one of another, with further columns of the table. */
export async function findOwned<Extra extends object = object>(
  db: Database,
  { table, id: idColumn }: OwnedTable,
  tenantId: number,
  id: string,
  columns: readonly (keyof Extra & string)[] = [],
): Promise<(OwnedRow & Extra) | undefined> {
  const extra = columns.map((column) => sql`, x.${sql.ref(column)}`)
  const { rows } = await sql<OwnedRow & Extra>`
    select x.tenant_id, tenants.name as tenant_name, x.${sql.ref(idColumn)} as id, x.visibility, x.created_by
      ${sql.join(extra, sql``)}
    from ${sql.table(table)} x join tenants on tenants.id = x.tenant_id
    where x.${sql.ref(idColumn)} = ${id} and (x.tenant_id = ${tenantId} or x.visibility = 'global')
    order by x.tenant_id = ${tenantId} desc
    limit 1`.execute(db)
  return rows[0]
}

/** One look into the index for each tenant: there are few tenants, and ids are indexed below them. */
export async function existsInOtherTenants(
  db: Database,
  { table, id: idColumn }: OwnedTable,
  tenantId: number,
  id: string,
): Promise<boolean> {
  const { rows } = await sql`
    select from tenants t where t.id <> ${tenantId} and exists (
      select from ${sql.table(table)} x where x.tenant_id = t.id and x.${sql.ref(idColumn)} = ${id})
    limit 1`.execute(db)
  return rows.length > 0
}

export async function deleteOwned(
  db: Database,
  { table, id: idColumn }: OwnedTable,
  row: Pick<OwnedRow, 'tenant_id' | 'id'>,
): Promise<void> {
  await sql`delete from ${sql.table(table)}
    where tenant_id = ${row.tenant_id} and ${sql.ref(idColumn)} = ${row.id}`.execute(db)
}

/**
 * Keeps the user from being deleted until the transaction ends, for whoever writes that something is his: owners are
 * stored by name, so no foreign key does. False when there is no such user.
 */
export async function holdUser(transaction: Transaction, username: string): Promise<boolean> {
  const { rows } = await sql`
    select from users where lower(username) = ${username.toLowerCase()} and username = ${username}
    for key share`.execute(transaction)
  return rows.length > 0
}

/** How such a thing is listed; its own columns are those of `x`. */
export function ownedResource(
  { model, table, id }: OwnedTable,
  fields: Readonly<Record<string, ListedField>>,
  more: Partial<ListedResource> = {},
): ListedResource {
  return {
    model,
    from: sql`${sql.table(table)} x left join tenants on tenants.id = x.tenant_id`,
    fields: { [id]: { column: sql.ref(`x.${id}`) }, ...fields, ...ownerFields('x') },
    idField: id,
    ...ownedRows('x', id),
    ...more,
  }
}
