import type { FilterRule, ListQuery } from '@tutti/api'
import type { DeploymentState, PlanWorkflow } from '@tutti/dsl'
import {
  type Database,
  deploymentLabels,
  type ListedResource,
  labelsField,
  labelValue,
  literal,
  ownedRows,
  ownerFields,
  ruleConditions,
  type Scope,
  selection,
  type Transaction,
  timeField,
  type Visibility,
} from '@tutti/storage'
import { type RawBuilder, sql } from 'kysely'
import { linkAwaitingAgain } from '../dependencies/index.ts'
import {
  fieldsBelow,
  fieldsOfChildren,
  joinEnvironment,
  settleEnvironments,
  settlingEnvironments,
  wholeStatus,
} from '../environments/index.ts'
import { groupsOf, inDeploymentGroup } from '../group-members/index.ts'
import { type Workflows, workflowList, workflowsText } from './shown-workflows.ts'

/** Of its nodes, with all that they derive from. */
const nodeTypes = sql`(select json_agg(distinct t.name) from nodes n, json_array_elements_text(n.type_hierarchy) t (name)
  where n.tenant_id = d.tenant_id and n.deployment_id = d.id)`

const isEnvironmentOnly = sql`not exists (select from inter_deployment_dependencies p
  where p.tenant_id = d.tenant_id and p.target_deployment_id = d.id and p.dependency_creator like 'component.%')`

const isInGroup = inDeploymentGroup('d', 'id')

/** docs/reference/deployments.md, "Fields" and "Statuses". Groups and consumers are named that are in the scope. */
export const deploymentResource: ListedResource = {
  model: 'Deployment',
  from: sql`deployments d
    left join tenants on tenants.id = d.tenant_id
    ${joinEnvironment('d', 'en')}
    left join executions le on le.tenant_id = d.tenant_id and le.id = d.latest_execution_id`,
  seenFrom: { table: sql`deployments d`, without: ['tenants', 'en', 'le'] },
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
      toWire: (workflows, row) => workflowList(workflows as Workflows, stateOf(row)),
      written: (workflows, row) => workflowsText(workflows, stateOf(row)),
    },
    labels: labelsField(deploymentLabels, 'd'),
    deployment_groups: {
      column: (scope) => sql`(
        select coalesce(json_agg(m.deployment_group_id order by m.deployment_group_id), '[]'::json)
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
    updated_at: timeField(sql`coalesce(d.updated_at, d.created_at)`),
    ...ownerFields('d'),
  },
  extraFilters: {
    deployment_group_id: isInGroup,
    _group_id: isInGroup,
    _environments_only: ([isAsked]) => (isAsked ? isEnvironmentOnly : sql`true`),
  },
  ...ownedRows('d'),
  searchName: sql`d.display_name`,
  labelled: deploymentLabels,
  // There are no schedules yet.
  attributes: { schedules: sql`null::text` },
  settling: settlingEnvironments,
  labelValue: labelValue(deploymentLabels, 'd'),
}

/** `all_sub_deployments=false`: what is below counts only as far as its direct children. */
export const firstLevelResource: ListedResource = {
  ...deploymentResource,
  fields: { ...deploymentResource.fields, ...fieldsOfChildren('d') },
}

/** In lists, workflows are most of the bytes and nearly nobody reads them there: they are left in the database. */
const withoutWorkflows = (resource: ListedResource): ListedResource => ({
  ...resource,
  fields: { ...resource.fields, workflows: { column: sql`'[]'::json` } },
})

/** What lists show, unless somebody asks for all or for workflows by name. */
export const shortDeployments = {
  all: withoutWorkflows(deploymentResource),
  firstLevel: withoutWorkflows(firstLevelResource),
}

/** One value over the deployment's instances. */
function instancesBy(aggregate: string) {
  return sql`(select ${sql.raw(aggregate)} from node_instances i
    where i.tenant_id = d.tenant_id and i.deployment_id = d.id)`
}

const stateOf = (row: Readonly<Record<string, unknown>>): DeploymentState => ({
  instanceStates: (row.instance_states as string[] | null) ?? [],
  nodeTypes: (row.node_types as string[] | null) ?? [],
})

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
  const resource = deploymentResource
  const found = selection(resource, { ...query, search: undefined }, scope, [
    ...extra,
    ...ruleConditions(resource, rules, scope),
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

/** Names the site; the tenant is that of the site, which may be a global one of another tenant. */
export type SiteLink = { readonly tenantId: number; readonly name: string }

const siteColumns = (site: SiteLink | undefined) => ({
  site_tenant_id: site?.tenantId ?? null,
  site_name: site?.name ?? null,
})

/** False when the deployment has just gone. */
export async function updateDeployment(
  db: Transaction,
  tenantId: number,
  id: string,
  change: {
    readonly display_name?: string
    readonly description?: string
    readonly created_by?: string
    readonly visibility?: Visibility
  },
): Promise<boolean> {
  const { visibility, created_by } = change
  const row = await db
    .updateTable('deployments')
    .set({ ...change, updated_at: sql`clock_timestamp()` })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (row === undefined) return false
  if (visibility === undefined && created_by === undefined) return true
  // They are seen by whoever sees the deployment.
  for (const table of ['nodes', 'node_instances'] as const) {
    await db
      .updateTable(table)
      .set({
        ...(created_by !== undefined && { created_by }),
        ...(visibility !== undefined && { visibility }),
      })
      .where('tenant_id', '=', tenantId)
      .where('deployment_id', '=', id)
      .execute()
  }
  await linkAwaitingAgain(db, tenantId, [id])
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
