import type { UpdateRun } from '@tutti/engine'
import {
  type Database,
  type ListedResource,
  type OwnedRow,
  ownedAs,
  ownerFields,
  type Schema,
  sharedColumn,
  type Transaction,
  timeField,
  toJson,
} from '@tutti/storage'
import { type InsertObject, sql, type UpdateObject } from 'kysely'

/** docs/reference/deployment-updates.md. Seen by whoever sees the deployment. */
export const updateResource: ListedResource = {
  model: 'DeploymentUpdate',
  from: sql`deployment_updates u left join tenants on tenants.id = u.tenant_id
    join deployments d on d.tenant_id = u.tenant_id and d.id = u.deployment_id`,
  fields: {
    id: { column: sql`u.id` },
    deployment_id: { column: sql`u.deployment_id` },
    state: { column: sql`u.state` },
    preview: { column: sql`u.preview` },
    old_blueprint_id: { column: sql`u.old_blueprint_id` },
    new_blueprint_id: { column: sql`u.new_blueprint_id` },
    old_inputs: { column: sql`u.old_inputs` },
    new_inputs: { column: sql`u.new_inputs` },
    runtime_only_evaluation: { column: sql`u.runtime_only_evaluation` },
    execution_id: { column: sql`u.execution_id` },
    steps: { column: sql`u.steps` },
    deployment_plan: {
      column: sql`u.deployment_plan`,
      shown: sharedColumn(sql`u.deployment_plan`, sql`u.deployment_plan_parts`),
      isLarge: true,
    },
    deployment_update_deployment: { column: sql`u.deployment_update_deployment` },
    deployment_update_nodes: { column: sql`u.deployment_update_nodes` },
    deployment_update_node_instances: { column: sql`u.deployment_update_node_instances` },
    modified_entity_ids: { column: sql`u.modified_entity_ids` },
    central_plugins_to_install: { column: sql`u.central_plugins_to_install` },
    central_plugins_to_uninstall: { column: sql`u.central_plugins_to_uninstall` },
    recursive_dependencies: { column: sql`u.recursive_dependencies` },
    schedules_to_create: { column: sql`u.schedules_to_create` },
    schedules_to_delete: { column: sql`u.schedules_to_delete` },
    labels_to_create: { column: sql`u.labels_to_create` },
    instance_changes: { column: sql`u.instance_changes` },
    ...ownerFields('d'),
    created_at: timeField(sql`u.created_at`),
    created_by: { column: sql`u.created_by` },
  },
  search: sql`u.id`,
  ...ownedAs('d'),
  tieBreaker: sql`u.id`,
}

/** The update with who sees it, which is who sees its deployment: of the tenant, or a global one of another. */
export async function findUpdate(
  db: Database,
  tenantId: number,
  id: string,
): Promise<
  (OwnedRow & { readonly deployment_id: string; readonly execution_id: string | null }) | undefined
> {
  return db
    .selectFrom('deployment_updates as u')
    .innerJoin('deployments as d', (join) =>
      join.onRef('d.tenant_id', '=', 'u.tenant_id').onRef('d.id', '=', 'u.deployment_id'),
    )
    .innerJoin('tenants as t', 't.id', 'u.tenant_id')
    .select([
      'u.id',
      'u.deployment_id',
      'u.execution_id',
      'u.tenant_id',
      't.name as tenant_name',
      'd.visibility',
      'd.created_by',
    ])
    .where('u.id', '=', id)
    .where((eb) => eb.or([eb('u.tenant_id', '=', tenantId), eb('d.visibility', '=', 'global')]))
    .orderBy(sql`u.tenant_id = ${tenantId}`, 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function insertUpdate(
  transaction: Transaction,
  update: InsertObject<Schema, 'deployment_updates'>,
): Promise<void> {
  await transaction.insertInto('deployment_updates').values(update).execute()
}

export async function changeUpdate(
  transaction: Transaction,
  tenantId: number,
  id: string,
  change: UpdateObject<Schema, 'deployment_updates'>,
): Promise<void> {
  await transaction
    .updateTable('deployment_updates')
    .set(change)
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

/** Updates that a deployment keeps besides those at work: each holds a plan of it. */
const keptUpdates = 50

export async function deleteOldUpdates(
  transaction: Transaction,
  tenantId: number,
  deploymentId: string,
): Promise<void> {
  await sql`
    delete from deployment_updates where tenant_id = ${tenantId} and id in (
      select id from deployment_updates
      where tenant_id = ${tenantId} and deployment_id = ${deploymentId} and state <> 'updating'
      order by created_at desc, id desc offset ${keptUpdates})`.execute(transaction)
}

/** What its workflow needs to know of an update. */
export async function readUpdateOf(
  db: Database,
  { tenant_id, id }: { readonly tenant_id: number; readonly id: string },
) {
  const row = await db
    .selectFrom('deployment_updates')
    .select([
      'id',
      'deployment_id as deploymentId',
      'preview',
      'options',
      'new_inputs as newInputs',
      'new_blueprint_id as blueprintId',
      'new_blueprint_tenant_id as blueprintTenantId',
      'runtime_only_evaluation as runtimeOnlyEvaluation',
      'run',
      'plan_of as planOf',
      'applied_at as appliedAt',
      'created_by as createdBy',
    ])
    .where('tenant_id', '=', tenant_id)
    .where('execution_id', '=', id)
    .executeTakeFirst()
  return row && { ...row, tenantId: tenant_id, run: row.run as UpdateRun | null }
}

export type UpdateRow = NonNullable<Awaited<ReturnType<typeof readUpdateOf>>>

/** What is written when the update is applied. */
export async function readPlanned(db: Database, tenantId: number, id: string) {
  return db
    .selectFrom('deployment_updates')
    .select([
      sql<string>`deployment_plan::text`.as('text'),
      'deployment_plan_parts as parts',
      'steps',
      'deployment_update_nodes as nodes',
      'deployment_update_node_instances as nodeInstances',
    ])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

/**
 * What an update is computed from: the deployment's blueprint, nodes and instances, without states and runtime
 * properties, which operations change all the time.
 */
export async function deploymentDigest(
  db: Database,
  tenantId: number,
  deploymentId: string,
): Promise<string> {
  const { rows } = await sql<{ digest: string }>`
    select md5(concat_ws('/',
      (select concat_ws('|', d.blueprint_tenant_id, d.blueprint_id, d.inputs, d.scaling_groups, d.groups, d.outputs,
         d.workflows, d.description)
       from deployments d where d.tenant_id = ${tenantId} and d.id = ${deploymentId}),
      (select string_agg(concat_ws('|', n.id, n.type, n.number_of_instances, n.planned_number_of_instances,
         n.deploy_number_of_instances, n.min_number_of_instances, n.max_number_of_instances, md5(n.properties::text),
         md5(n.operations::text), md5(n.relationships::text), md5(n.plugins::text)), ',' order by n.id)
       from nodes n where n.tenant_id = ${tenantId} and n.deployment_id = ${deploymentId}),
      (select string_agg(concat_ws('|', i.id, i.node_id, i.relationships, i.scaling_groups), ',' order by i.id)
       from node_instances i where i.tenant_id = ${tenantId} and i.deployment_id = ${deploymentId})
    )) as digest`.execute(db)
  return rows[0]?.digest ?? ''
}

/** The id of an update that was applied to the deployment after this one. */
export async function findLater(db: Database, { tenantId, deploymentId, id, appliedAt }: UpdateRow) {
  if (appliedAt === null) return undefined
  const row = await db
    .selectFrom('deployment_updates')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('deployment_id', '=', deploymentId)
    .where('id', '<>', id)
    .where(
      sql<boolean>`applied_at > (select applied_at from deployment_updates where tenant_id = ${tenantId} and id = ${id})`,
    )
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

type DeploymentColumns = Pick<
  UpdateObject<Schema, 'deployments'>,
  'description' | 'inputs' | 'outputs' | 'capabilities' | 'workflows' | 'runtime_only_evaluation'
> & { readonly blueprint_id?: string; readonly blueprint_tenant_id?: number }

export async function writeDeployment(
  transaction: Transaction,
  { tenantId, deploymentId }: UpdateRow,
  columns: DeploymentColumns,
): Promise<void> {
  await transaction
    .updateTable('deployments')
    .set(columns)
    .where('tenant_id', '=', tenantId)
    .where('id', '=', deploymentId)
    .execute()
}

/** The deployment is another from now on. */
export const noteChange = async (
  transaction: Transaction,
  { tenantId, deploymentId }: UpdateRow,
): Promise<void> => {
  await transaction
    .updateTable('deployments')
    .set({ updated_at: sql`clock_timestamp()` })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', deploymentId)
    .execute()
}

/** Of these nodes, what is stored of their relationships. */
export async function readRelationships(
  db: Database,
  { tenantId, deploymentId }: UpdateRow,
  nodes: readonly string[],
) {
  const rows = await db
    .selectFrom('nodes')
    .select(['id', 'relationships'])
    .where('tenant_id', '=', tenantId)
    .where('deployment_id', '=', deploymentId)
    .where(sql<boolean>`id = any(${[...nodes]}::text[])`)
    .execute()
  return new Map(rows.map(({ id, relationships }) => [id, relationships as readonly unknown[]]))
}

/** From now on there are as many instances of each node as were planned. */
export async function settleCounts(
  transaction: Transaction,
  { tenantId, deploymentId }: UpdateRow,
): Promise<void> {
  await sql`
    update nodes set number_of_instances = planned_number_of_instances
    where tenant_id = ${tenantId} and deployment_id = ${deploymentId}
      and number_of_instances <> planned_number_of_instances`.execute(transaction)
}

/** Dependencies that functions of the plan made; those of components, shared resources and users stay. */
export async function deleteFunctionDependencies(
  transaction: Transaction,
  { tenantId, deploymentId }: UpdateRow,
): Promise<void> {
  await transaction
    .deleteFrom('inter_deployment_dependencies')
    .where('tenant_id', '=', tenantId)
    .where('source_deployment_id', '=', deploymentId)
    .where('dependency_creator', 'like', '%.get\\_capability')
    .execute()
}

/** Locked against deletion while the deployment becomes one of it; undefined when it is gone. */
export async function holdNewBlueprint(transaction: Transaction, update: UpdateRow) {
  return transaction
    .selectFrom('blueprints')
    .select('id')
    .where('tenant_id', '=', update.blueprintTenantId)
    .where('id', '=', update.blueprintId)
    .where('state', '=', 'uploaded')
    .forKeyShare()
    .executeTakeFirst()
}

export async function readForInitiate(transaction: Transaction, tenantId: number, id: string) {
  return transaction
    .selectFrom('deployments')
    .select(['blueprint_id', 'blueprint_tenant_id', 'inputs', 'runtime_only_evaluation'])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

/** The blueprint's plan as it is stored, with the plugins of the one before it. */
export async function readPlanForUpdate(db: Database, { tenantId, deploymentId, ...update }: UpdateRow) {
  const { rows } = await sql<{ text: string; parts: string | null }>`
    select plan::text as text, plan_parts as parts from blueprints
    where tenant_id = ${update.blueprintTenantId} and id = ${update.blueprintId} and state = 'uploaded'`.execute(
    db,
  )
  const plugins = await sql<{ central: unknown[] | null; workflow: unknown[] | null }>`
    select p.deployment_plugins_to_install as central, p.workflow_plugins_to_install as workflow
    from deployments d
    join blueprints b on b.tenant_id = d.blueprint_tenant_id and b.id = d.blueprint_id,
      json_to_record(b.plan) as p (deployment_plugins_to_install json, workflow_plugins_to_install json)
    where d.tenant_id = ${tenantId} and d.id = ${deploymentId}`.execute(db)
  const [old] = plugins.rows
  return rows[0] && { plan: rows[0], oldPlugins: [...(old?.central ?? []), ...(old?.workflow ?? [])] }
}

export const json = (value: unknown): string | null => (value == null ? null : toJson(value))
