import type { FilterRule } from '@tutti/api'
import {
  type Database,
  deploymentGroupLabels,
  deploymentGroupTable,
  type ListedResource,
  labelsField,
  labelValue,
  ownedAs,
  ownedResource,
  ruleConditions,
  type Scope,
  type Transaction,
  toJson,
  type Visibility,
  visibleIn,
} from '@tutti/storage'
import { sql } from 'kysely'
import { deploymentResource } from '../deployments/index.ts'

/** docs/reference/groups.md, "Deployment groups". Of the members, those are shown that are in the scope. */
export const deploymentGroupResource: ListedResource = ownedResource(
  deploymentGroupTable,
  {
    description: { column: sql`x.description` },
    default_blueprint_id: { column: sql`x.default_blueprint_id` },
    default_inputs: { column: sql`x.default_inputs` },
    deployment_ids: {
      column: (scope) => sql`(select coalesce(json_agg(d.id order by d.id), '[]'::json)
          from deployment_group_members m
          join deployments d on d.tenant_id = m.tenant_id and d.id = m.deployment_id
          where m.tenant_id = x.tenant_id and m.deployment_group_id = x.id and ${visibleIn(ownedAs('d'), scope)})`,
    },
    labels: labelsField(deploymentGroupLabels, 'x'),
    creation_counter: { column: sql`x.creation_counter` },
  },
  { labelValue: labelValue(deploymentGroupLabels, 'x') },
)

export async function insertGroup(
  transaction: Transaction,
  group: {
    readonly tenant_id: number
    readonly id: string
    readonly visibility: Visibility
    readonly created_by: string
    readonly created_at?: Date
    readonly creation_counter?: number
  },
): Promise<void> {
  await transaction.insertInto('deployment_groups').values(group).execute()
}

/** Locks the group's row, so that whoever joins the group gets its labels as they are before or after. */
export async function lockGroup(transaction: Transaction, tenantId: number, id: string) {
  return transaction
    .selectFrom('deployment_groups')
    .select(['id', 'visibility', 'default_blueprint_id', 'default_inputs', 'creation_counter'])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
}

export type GroupChange = {
  readonly description?: string
  readonly visibility?: Visibility
  readonly default_blueprint_tenant_id?: number
  readonly default_blueprint_id?: string
  readonly default_inputs?: Readonly<Record<string, unknown>>
  readonly creation_counter?: number
}

export async function updateGroup(
  transaction: Transaction,
  tenantId: number,
  id: string,
  { default_inputs: inputs, ...change }: GroupChange,
): Promise<void> {
  const columns = { ...change, ...(inputs !== undefined && { default_inputs: toJson(inputs) }) }
  if (Object.keys(columns).length === 0) return
  await transaction
    .updateTable('deployment_groups')
    .set(columns)
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

/** Members that are not in the scope stay: nobody takes out what he does not see. */
export async function deleteMembers(
  transaction: Transaction,
  tenantId: number,
  groupId: string,
  which: { readonly these: readonly string[] } | { readonly allBut: readonly string[] },
  scope: Scope,
): Promise<void> {
  const condition =
    'these' in which
      ? sql`m.deployment_id = any(${[...which.these]}::text[])`
      : sql`m.deployment_id <> all(${[...which.allBut]}::text[])`
  await sql`
    delete from deployment_group_members m using deployments d
    where m.tenant_id = ${tenantId} and m.deployment_group_id = ${groupId} and ${condition}
      and d.tenant_id = m.tenant_id and d.id = m.deployment_id and ${visibleIn(ownedAs('d'), scope)}`.execute(
    transaction,
  )
}

/** Deployments of these ids: the tenant's own, else global ones of others. */
export async function findByIds(db: Database, tenantId: number, ids: readonly string[]) {
  const { rows } = await sql<{
    tenant_id: number
    tenant_name: string
    id: string
    visibility: Visibility
    created_by: string
  }>`
    select distinct on (d.id) d.tenant_id, tenants.name as tenant_name, d.id, d.visibility, d.created_by
    from deployments d join tenants on tenants.id = d.tenant_id
    where d.id = any(${[...ids]}::text[]) and (d.tenant_id = ${tenantId} or d.visibility = 'global')
    order by d.id, d.tenant_id = ${tenantId} desc`.execute(db)
  return rows
}

/** Deployments in the scope that fit all rules of filters. */
export async function findByRules(
  db: Database,
  rules: readonly FilterRule[],
  scope: Scope,
): Promise<string[]> {
  const resource = deploymentResource
  const conditions = [visibleIn(resource, scope), ...ruleConditions(resource, rules, scope)]
  const { rows } = await sql<{ id: string }>`
    select d.id from ${resource.from} where ${sql.join(conditions, sql` and `)} order by d.id`.execute(db)
  return rows.map((row) => row.id)
}

/** Members of the group that are in the scope. */
export async function visibleMembers(
  db: Database,
  tenantId: number,
  groupId: string,
  scope: Scope,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select d.id from deployment_group_members m
    join deployments d on d.tenant_id = m.tenant_id and d.id = m.deployment_id
    where m.tenant_id = ${tenantId} and m.deployment_group_id = ${groupId} and ${visibleIn(ownedAs('d'), scope)}
    order by d.created_at, d.id`.execute(db)
  return rows.map((row) => row.id)
}

/**
 * The same with the rows of these deployments locked, in one order for all: what starts or ends on one of them at this
 * moment has been seen, or sees what is done here.
 */
export async function lockMembers(
  transaction: Transaction,
  tenantId: number,
  groupId: string,
  scope: Scope,
): Promise<string[]> {
  await sql`
    select from deployments d
    where d.tenant_id = ${tenantId} and d.id in (
      select deployment_id from deployment_group_members
      where tenant_id = ${tenantId} and deployment_group_id = ${groupId})
    order by d.id for no key update of d`.execute(transaction)
  return visibleMembers(transaction, tenantId, groupId, scope)
}

export async function deploymentsToDelete(db: Database, tenantId: number, ids: readonly string[]) {
  return db
    .selectFrom('deployments')
    .select(['tenant_id', 'id', 'display_name', 'blueprint_id', 'visibility'])
    .where('tenant_id', '=', tenantId)
    .where(sql<boolean>`id = any(${[...ids]}::text[])`)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Which of these ids are taken, in the tenant or by a global deployment. */
export async function takenDeploymentIds(
  db: Database,
  tenantId: number,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from deployments
    where id = any(${[...ids]}::text[]) and (tenant_id = ${tenantId} or visibility = 'global')`.execute(db)
  return new Set(rows.map((row) => row.id))
}

/** What the blueprint says that deployments are to be called which a group creates of it. */
export async function idTemplateOf(
  db: Database,
  blueprint: { readonly tenant_id: number; readonly id: string },
): Promise<string | null> {
  const { rows } = await sql<{ template: string | null }>`
    select plan->'deployment_settings'->>'id_template' as template from blueprints
    where tenant_id = ${blueprint.tenant_id} and id = ${blueprint.id}`.execute(db)
  return rows[0]?.template ?? null
}
