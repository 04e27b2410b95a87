import type { InputSchema } from '@tutti/dsl'
import type { Database, Visibility } from '@tutti/storage'
import { sql } from 'kysely'
import type { WantedPlugin } from '../plugins/index.ts'
import type { SiteLink } from './queries.ts'

/** The plan of an uploaded blueprint, for the checks that a creation makes before it starts. */
export async function readPlanForCreation(db: Database, tenantId: number, blueprintId: string) {
  const { rows } = await sql<{
    inputs: Readonly<Record<string, InputSchema>> | null
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

export type PluginToInstall = Omit<WantedPlugin, 'package_name'> & {
  readonly name: string
  readonly install: boolean
  readonly package_name: string | null
}

export type NewDeployment = {
  readonly tenantId: number
  readonly id: string
  readonly displayName: string
  readonly blueprintTenantId: number
  readonly blueprintId: string
  readonly visibility: Visibility
  readonly createdBy: string
  readonly createdAt: Date | undefined
  /** Undefined for one that is only recorded. */
  readonly createExecutionId: string | undefined
  readonly runtimeOnlyEvaluation: boolean
  readonly site: SiteLink | undefined
}

/** Fails by the primary key when another request has just created one of them. */
export async function insertDeployments(db: Database, deployments: readonly NewDeployment[]): Promise<void> {
  const column = <T>(read: (deployment: NewDeployment) => T) => deployments.map(read)
  await sql`
    insert into deployments (tenant_id, id, display_name, blueprint_tenant_id, blueprint_id, visibility, created_by,
      created_at, create_execution_id, latest_execution_id, runtime_only_evaluation, site_tenant_id, site_name)
    select tenant_id, id, display_name, blueprint_tenant_id, blueprint_id, visibility, created_by,
      coalesce(created_at, clock_timestamp()), execution_id, execution_id, runtime_only, site_tenant_id, site_name
    from unnest(
      ${column((one) => one.tenantId)}::int[],
      ${column((one) => one.id)}::text[],
      ${column((one) => one.displayName)}::text[],
      ${column((one) => one.blueprintTenantId)}::int[],
      ${column((one) => one.blueprintId)}::text[],
      ${column((one) => one.visibility)}::text[],
      ${column((one) => one.createdBy)}::text[],
      ${column((one) => one.createdAt ?? null)}::timestamptz[],
      ${column((one) => one.createExecutionId ?? null)}::text[],
      ${column((one) => one.runtimeOnlyEvaluation)}::boolean[],
      ${column((one) => one.site?.tenantId ?? null)}::int[],
      ${column((one) => one.site?.name ?? null)}::text[]
    ) as d (tenant_id, id, display_name, blueprint_tenant_id, blueprint_id, visibility, created_by, created_at,
      execution_id, runtime_only, site_tenant_id, site_name)`.execute(db)
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
