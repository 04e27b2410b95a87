import type { FilterRule, ListQuery } from '@tutti/api'
import { type DeploymentState, type InputSchema, type PlanWorkflow, whyUnavailable } from '@tutti/dsl'
import {
  type Database,
  deploymentLabels,
  fieldsBelow,
  fieldsOfChildren,
  groupsOf,
  inDeploymentGroup,
  isActiveOrQueued,
  isSeenLabel,
  joinEnvironment,
  type ListedResource,
  labelsField,
  labelValue,
  literal,
  ownerFields,
  ruleConditions,
  type Scope,
  selection,
  settleEnvironments,
  timeField,
  type Visibility,
  wholeStatus,
} from '@tutti/storage'
import { type RawBuilder, sql } from 'kysely'

/** Of its nodes, with all that they derive from. */
const nodeTypes = sql`(select json_agg(distinct t.name) from nodes n, json_array_elements_text(n.type_hierarchy) t (name)
  where n.tenant_id = d.tenant_id and n.deployment_id = d.id)`

/** spec/rest-spec-a.md 2.3, spec/rest-facts-a.md 8 and 9. Groups and consumers are named that are in the scope. */
export const deploymentResource = (scope: Scope): ListedResource => ({
  model: 'Deployment',
  from: sql`deployments d
    join tenants on tenants.id = d.tenant_id
    ${joinEnvironment('d', 'en')}
    left join executions le on le.tenant_id = d.tenant_id and le.id = d.latest_execution_id`,
  fields: {
    id: { column: sql`d.id` },
    display_name: { column: sql`d.display_name` },
    blueprint_id: { column: sql`d.blueprint_id` },
    description: { column: sql`d.description` },
    inputs: { column: sql`d.inputs` },
    outputs: { column: sql`d.outputs` },
    capabilities: { column: sql`d.capabilities` },
    groups: { column: sql`d.groups` },
    scaling_groups: { column: sql`d.scaling_groups` },
    policy_types: { column: sql`d.policy_types` },
    policy_triggers: { column: sql`d.policy_triggers` },
    resource_tags: { column: sql`d.resource_tags` },
    workflows: {
      column: sql`d.workflows`,
      needs: { instance_states: instancesBy('json_agg(distinct i.state)'), node_types: nodeTypes },
      toWire: (workflows, row) =>
        workflowList(workflows as Named<PlanWorkflow>, {
          instanceStates: (row.instance_states as string[] | null) ?? [],
          nodeTypes: (row.node_types as string[] | null) ?? [],
        }),
    },
    labels: labelsField('deployment_labels', 'deployment_id', 'd', isSeenLabel(deploymentLabels, scope)),
    deployment_groups: {
      column: sql`(select coalesce(json_agg(m.deployment_group_id order by m.deployment_group_id), '[]'::json)
        from ${groupsOf('d', 'id', scope)})`,
    },
    site_name: { column: sql`d.site_name` },
    runtime_only_evaluation: { column: sql`d.runtime_only_evaluation` },
    create_execution: { column: sql`d.create_execution_id` },
    // Null again when it was deleted.
    latest_execution: { column: sql`le.id` },
    latest_execution_workflow_id: { column: sql`le.workflow_id` },
    latest_execution_status: {
      column: sql`case when le.status is null then null
        when le.status = 'terminated' then 'completed'
        when le.status in ('failed', 'cancelled') then le.status
        else 'in_progress' end`,
      filterBy: sql`le.status`,
    },
    latest_execution_total_operations: { column: sql`coalesce(le.total_operations, 0)` },
    latest_execution_finished_operations: { column: sql`coalesce(le.finished_operations, 0)` },
    installation_status: { column: sql`coalesce(d.installation_status, 'inactive')` },
    deployment_status: { column: wholeStatus('d', 'en') },
    ...fieldsBelow('en'),
    has_sub_deployments: { column: sql`(en.id is not null)` },
    environment_type: {
      column: sql`coalesce((select min(l.value) from deployment_labels l where l.tenant_id = d.tenant_id
        and l.deployment_id = d.id and l.key = 'csys-env-type'), '')`,
    },
    unavailable_instances: { column: instancesBy('count(*) filter (where not i.is_status_check_ok)') },
    drifted_instances: { column: instancesBy('count(*) filter (where i.has_configuration_drift)') },
    workdir_zip: { column: sql`null::text` },
    updated_at: timeField(sql`d.updated_at`),
    ...ownerFields('d'),
  },
  extraFilters: {
    deployment_group_id: isInGroup,
    _group_id: isInGroup,
    _environments_only: ([isAsked]) => (isAsked ? isEnvironmentOnly : sql`true`),
  },
  search: sql`d.id`,
  searchName: sql`d.display_name`,
  tenantId: sql`d.tenant_id`,
  createdBy: sql`d.created_by`,
  visibility: sql`d.visibility`,
  tieBreaker: sql`d.id`,
  labelled: deploymentLabels,
  isSeenLabel: isSeenLabel(deploymentLabels, scope),
  // There are no schedules yet.
  attributes: { schedules: sql`null::text` },
  settle: settleEnvironments,
  labelValue: labelValue('deployment_labels', 'deployment_id', 'd', isSeenLabel(deploymentLabels, scope)),
})

/** `all_sub_deployments=false`: what is below counts only as far as its direct children. */
export const firstLevelResource = (scope: Scope): ListedResource => {
  const whole = deploymentResource(scope)
  return { ...whole, fields: { ...whole.fields, ...fieldsOfChildren('d') } }
}

type Named<T> = Readonly<Record<string, T>>

/** One value over the deployment's instances. */
function instancesBy(aggregate: string) {
  return sql`(select ${sql.raw(aggregate)} from node_instances i
    where i.tenant_id = d.tenant_id and i.deployment_id = d.id)`
}

/** The stored dict as the list that the API shows, with what can run now (spec/rest-facts-a.md 3). */
function workflowList(workflows: Named<PlanWorkflow>, state: DeploymentState) {
  return Object.entries(workflows).map(([name, workflow]) => ({
    name,
    created_at: null,
    plugin: workflow.plugin,
    operation: workflow.operation,
    parameters: workflow.parameters,
    is_cascading: workflow.is_cascading,
    is_available: whyUnavailable(workflow.availability_rules, state) === undefined,
    availability_rules: workflow.availability_rules,
  }))
}

/** One definition of each workflow of the deployments that are found; a page of them by name. */
export async function workflowsOf(
  db: Database,
  query: ListQuery,
  scope: Scope,
  {
    rules,
    commonOnly,
    extra,
  }: {
    readonly rules: readonly FilterRule[]
    readonly commonOnly: boolean
    readonly extra: readonly RawBuilder<unknown>[]
  },
) {
  await settleEnvironments(db)
  // `_search` is about workflows here.
  const resource = deploymentResource(scope)
  const found = selection(resource, { ...query, search: undefined }, scope, [
    ...extra,
    ...ruleConditions(resource, rules),
  ])
  const limit = query.getAllResults ? null : query.page.size
  const { rows } = await sql<{ name: string; workflow: PlanWorkflow; total: number }>`
    with found as materialized (select d.workflows from ${resource.from} where ${found}),
    named as (
      select w.key as name, (array_agg(w.value))[1] as workflow, count(*) as deployments
      from found, json_each(found.workflows) w group by w.key)
    select name, workflow, count(*) over () as total from named
    where ${query.search === undefined ? sql`true` : sql`name ilike ${`%${literal(query.search)}%`}`}
      and ${commonOnly ? sql`deployments = (select count(*) from found)` : sql`true`}
    order by name limit ${limit} offset ${query.page.offset}`.execute(db)
  const everything: DeploymentState = { instanceStates: [], nodeTypes: [] }
  const items = rows.flatMap(({ name, workflow }) => workflowList({ [name]: workflow }, everything))
  return { items, total: rows[0]?.total ?? 0 }
}

const isEnvironmentOnly = sql`not exists (select from inter_deployment_dependencies p
  where p.tenant_id = d.tenant_id and p.target_deployment_id = d.id and p.dependency_creator like 'component.%')`

const isInGroup = inDeploymentGroup('d', 'id')

/** The deployment and everything that it depends on, directly or not. */
export const isDependencyOf = (tenantId: number, id: string) => sql`d.tenant_id = ${tenantId} and d.id in (
  with recursive targets (id) as (
    select target_deployment_id from inter_deployment_dependencies
    where tenant_id = ${tenantId} and source_deployment_id = ${id} and target_deployment_id is not null
    union
    select p.target_deployment_id from inter_deployment_dependencies p join targets on p.source_deployment_id = targets.id
    where p.tenant_id = ${tenantId} and p.target_deployment_id is not null
  ) select id from targets)`

/** What the rules of creation, deletion and updates look at. */
export async function findDeployment(db: Database, tenantId: number, id: string) {
  return db
    .selectFrom('deployments as d')
    .innerJoin('tenants', 'tenants.id', 'd.tenant_id')
    .leftJoin('executions as c', (join) =>
      join.onRef('c.tenant_id', '=', 'd.tenant_id').onRef('c.id', '=', 'd.create_execution_id'),
    )
    .select([
      'd.tenant_id',
      'd.id',
      'd.visibility',
      'd.created_by',
      'd.display_name',
      'd.description',
      'd.blueprint_id',
      'd.blueprint_tenant_id',
      'd.outputs',
      'd.capabilities',
      'd.site_tenant_id',
      'd.site_name',
      'tenants.name as tenant_name',
      'c.status as creation_status',
    ])
    .where('d.id', '=', id)
    .where((eb) => eb.or([eb('d.tenant_id', '=', tenantId), eb('d.visibility', '=', 'global')]))
    .orderBy(sql`d.tenant_id = ${tenantId}`, 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The plan of an uploaded blueprint, for the checks that a creation makes before it starts. */
export async function readPlanForCreation(db: Database, tenantId: number, blueprintId: string) {
  const { rows } = await sql<{
    inputs: Named<InputSchema> | null
    deployment_plugins: PluginToInstall[] | null
    host_plugins: PluginToInstall[] | null
  }>`
    select p.inputs, p.deployment_plugins_to_install as deployment_plugins,
      p.host_agent_plugins_to_install as host_plugins
    from blueprints b, json_to_record(b.plan) as p (
      inputs json, deployment_plugins_to_install json, host_agent_plugins_to_install json)
    where b.tenant_id = ${tenantId} and b.id = ${blueprintId}`.execute(db)
  return rows[0]
}

export type PluginToInstall = {
  readonly name: string
  readonly install: boolean
  readonly package_name: string | null
  readonly package_version: string | null
}

export type NewDeployment = {
  readonly tenantId: number
  readonly id: string
  readonly displayName: string
  readonly blueprintTenantId: number
  readonly blueprintId: string
  readonly visibility: Visibility
  readonly createdBy: string
  readonly createExecutionId: string
  readonly runtimeOnlyEvaluation: boolean
  readonly site: SiteLink | undefined
}

/** Names the site; the tenant is that of the site, which may be a global one of another tenant. */
export type SiteLink = { readonly tenantId: number; readonly name: string }

const siteColumns = (site: SiteLink | undefined) => ({
  site_tenant_id: site?.tenantId ?? null,
  site_name: site?.name ?? null,
})

/** Fails by the primary key when another request has just created one of them. */
export async function insertDeployments(db: Database, deployments: readonly NewDeployment[]): Promise<void> {
  const column = <T>(read: (deployment: NewDeployment) => T) => deployments.map(read)
  await sql`
    insert into deployments (tenant_id, id, display_name, blueprint_tenant_id, blueprint_id, visibility, created_by,
      create_execution_id, latest_execution_id, runtime_only_evaluation, site_tenant_id, site_name)
    select * from unnest(
      ${column((one) => one.tenantId)}::int[],
      ${column((one) => one.id)}::text[],
      ${column((one) => one.displayName)}::text[],
      ${column((one) => one.blueprintTenantId)}::int[],
      ${column((one) => one.blueprintId)}::text[],
      ${column((one) => one.visibility)}::text[],
      ${column((one) => one.createdBy)}::text[],
      ${column((one) => one.createExecutionId)}::text[],
      ${column((one) => one.createExecutionId)}::text[],
      ${column((one) => one.runtimeOnlyEvaluation)}::boolean[],
      ${column((one) => one.site?.tenantId ?? null)}::int[],
      ${column((one) => one.site?.name ?? null)}::text[]
    )`.execute(db)
}

/**
 * Deployments of these ids, in the tenant and global ones of others. `failedAtOnce`: one of the tenant's own, whose
 * creation failed and is all that ever ran.
 */
export async function findInTheWay(db: Database, tenantId: number, ids: readonly string[]) {
  const { rows } = await sql<{
    id: string
    failedAtOnce: boolean
    visibility: Visibility
    created_by: string
  }>`
    select d.id, d.visibility, d.created_by, d.tenant_id = ${tenantId} and coalesce(c.status = 'failed', false) and 1 >= (
      select count(*) from executions e where e.tenant_id = d.tenant_id and e.deployment_id = d.id
    ) as "failedAtOnce"
    from deployments d
    left join executions c on c.tenant_id = d.tenant_id and c.id = d.create_execution_id
    where d.id = any(${[...ids]}::text[]) and (d.tenant_id = ${tenantId} or d.visibility = 'global')`.execute(
    db,
  )
  return rows
}

/** A deployment on which something runs or waits, with a few of what does. */
export async function unfinishedExecutions(db: Database, tenantId: number, ids: readonly string[]) {
  const { rows } = await sql<{ id: string; found: string[] }>`
    select deployment_id as id, (array_agg(
      id || ' (' || workflow_id || ', ' || status || ')' order by created_at))[1:5] as found
    from executions
    where tenant_id = ${tenantId} and deployment_id = any(${[...ids]}::text[]) and ${isActiveOrQueued}
    group by deployment_id order by deployment_id limit 1`.execute(db)
  return rows[0]
}

/** A deployment that has instances which are neither new nor gone, with a few of them. */
export async function liveInstances(db: Database, tenantId: number, ids: readonly string[]) {
  const { rows } = await sql<{ id: string; found: string[] }>`
    select deployment_id as id, (array_agg(id order by id))[1:20] as found
    from node_instances
    where tenant_id = ${tenantId} and deployment_id = any(${[...ids]}::text[])
      and state not in ('uninitialized', 'deleted')
    group by deployment_id order by deployment_id limit 1`.execute(db)
  return rows[0]
}

/** Alone from now on: nobody may begin to depend on one of them while it is looked at who does. */
export async function lockForDeletion(
  transaction: Database,
  tenantId: number,
  ids: readonly string[],
): Promise<void> {
  await sql`
    select from deployments where tenant_id = ${tenantId} and id = any(${[...ids]}::text[])
    order by id for update`.execute(transaction)
}

/** Of these, those that are still there. */
export async function setInProgress(
  db: Database,
  tenantId: number,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .updateTable('deployments')
    .set({ deployment_status: 'in_progress' })
    .where('tenant_id', '=', tenantId)
    .where(sql<boolean>`id = any(${[...ids]}::text[])`)
    .returning('id')
    .execute()
  return new Set(rows.map((row) => row.id))
}

/** False when the deployment has just gone. */
export async function updateDeployment(
  db: Database,
  tenantId: number,
  id: string,
  change: {
    readonly displayName?: string
    readonly description?: string
    readonly createdBy?: string
    readonly visibility?: Visibility
  },
): Promise<boolean> {
  const { displayName, description, createdBy, visibility } = change
  const row = await db
    .updateTable('deployments')
    .set({
      updated_at: sql`clock_timestamp()`,
      ...(displayName !== undefined && { display_name: displayName }),
      ...(description !== undefined && { description }),
      ...(createdBy !== undefined && { created_by: createdBy }),
      ...(visibility !== undefined && { visibility }),
    })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (row === undefined) return false
  if (visibility === undefined && createdBy === undefined) return true
  // They are seen by whoever sees the deployment.
  for (const table of ['nodes', 'node_instances'] as const) {
    await db
      .updateTable(table)
      .set({
        ...(createdBy !== undefined && { created_by: createdBy }),
        ...(visibility !== undefined && { visibility }),
      })
      .where('tenant_id', '=', tenantId)
      .where('deployment_id', '=', id)
      .execute()
  }
  return true
}

/** Links the deployment to the site, or to none. False when the deployment has just gone. */
export async function setSite(
  db: Database,
  tenantId: number,
  id: string,
  site: SiteLink | undefined,
): Promise<boolean> {
  const row = await db
    .updateTable('deployments')
    .set({ ...siteColumns(site), updated_at: sql`clock_timestamp()` })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function siteVisibility(db: Database, site: SiteLink): Promise<Visibility | undefined> {
  const row = await db
    .selectFrom('sites')
    .select('visibility')
    .where('tenant_id', '=', site.tenantId)
    .where('name', '=', site.name)
    .executeTakeFirst()
  return row?.visibility
}

export async function blueprintVisibility(
  db: Database,
  tenantId: number,
  id: string,
): Promise<Visibility | undefined> {
  const row = await db
    .selectFrom('blueprints')
    .select('visibility')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.visibility
}

export async function readExecutionEnd(db: Database, tenantId: number, executionId: string) {
  return db
    .selectFrom('executions')
    .select(['status', 'error'])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', executionId)
    .executeTakeFirst()
}
