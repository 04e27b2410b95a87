import { endStatuses } from '@tutti/api'
import type { PlanWorkflow } from '@tutti/dsl'
import {
  type Database,
  isActiveOrQueued,
  type ListedResource,
  notify,
  offered,
  ownedRows,
  ownerFields,
  pickUpMs,
  type Scope,
  shownAddress,
  type Transaction,
  timeField,
  visibleIn,
} from '@tutti/storage'
import { type RawBuilder, sql } from 'kysely'
import { inDeploymentGroup } from '../group-members/index.ts'

const isInGroup = (groupIds: readonly unknown[]) =>
  sql<boolean>`e.execution_group_id = any(${groupIds}::text[])`

const extraFilters = {
  execution_group_id: isInGroup,
  _group_id: isInGroup,
  deployment_group_id: inDeploymentGroup('e'),
}

/** docs/reference/executions.md, "Fields". */
export const executionResource: ListedResource = {
  model: 'Execution',
  from: sql`executions e left join tenants on tenants.id = e.tenant_id`,
  fields: {
    id: { column: sql`e.id` },
    workflow_id: { column: sql`e.workflow_id` },
    blueprint_id: { column: sql`e.blueprint_id` },
    deployment_id: { column: sql`e.deployment_id` },
    deployment_display_name: { column: sql`e.deployment_display_name` },
    status: { column: sql`e.status` },
    status_display: { column: sql`case e.status when 'terminated' then 'completed' else e.status end` },
    error: { column: sql`e.error` },
    parameters: {
      column: sql`e.parameters`,
      needs: { shown_workflow: sql`case when e.deployment_id is null then e.workflow_id end` },
      toWire: (value, { shown_workflow: workflow }) =>
        workflow === 'upload_blueprint' ? withShownUrl(value) : value,
    },
    is_system_workflow: { column: sql`e.is_system_workflow` },
    is_dry_run: { column: sql`e.is_dry_run` },
    resume: { column: sql`e.resume` },
    allow_custom_parameters: { column: sql`e.allow_custom_parameters` },
    total_operations: { column: sql`e.total_operations` },
    finished_operations: { column: sql`e.finished_operations` },
    started_at: timeField(sql`e.started_at`),
    ended_at: timeField(sql`e.ended_at`),
    scheduled_for: timeField(sql`e.scheduled_for`),
    ...ownerFields('e'),
  },
  extraFilters,
  ...ownedRows('e'),
}

/** The address of an archive may hold a password or a token: it is for whoever fetches it. */
function withShownUrl(parameters: unknown) {
  const { url, ...others } = parameters as { readonly url?: unknown }
  return { ...others, url: typeof url === 'string' ? shownAddress(url) : url }
}

export const notSystem = sql`not e.is_system_workflow`

/** Locks the execution's row: whoever changes its status decides under this lock. */
export async function lockExecution(transaction: Transaction, tenantId: number, id: string) {
  return transaction
    .selectFrom('executions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** Where it runs, unlocked. */
export async function findExecution(db: Database, tenantId: number, id: string) {
  return db
    .selectFrom('executions')
    .select(['tenant_id', 'deployment_id', 'is_dry_run'])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function readEnd(db: Database, tenantId: number, id: string) {
  return db
    .selectFrom('executions')
    .select(['status', 'error'])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** What starting a workflow looks at: the deployment with how its creation went. Locks the deployment's row. */
export async function lockDeployment(transaction: Transaction, tenantId: number, id: string) {
  return transaction
    .selectFrom('deployments as d')
    .leftJoin('executions as c', (join) =>
      join.onRef('c.tenant_id', '=', 'd.tenant_id').onRef('c.id', '=', 'd.create_execution_id'),
    )
    .select([
      'd.tenant_id',
      'd.id',
      'd.display_name',
      'd.blueprint_id',
      'd.visibility',
      'd.created_by',
      'd.workflows',
      'c.status as creation_status',
      'c.error as creation_error',
    ])
    .where('d.id', '=', id)
    .where((eb) => eb.or([eb('d.tenant_id', '=', tenantId), eb('d.visibility', '=', 'global')]))
    .orderBy(sql`d.tenant_id = ${tenantId}`, 'desc')
    .limit(1)
    .forNoKeyUpdate('d')
    .executeTakeFirst()
}

/**
 * Whether a system workflow, or that one, is at work or waits for its turn: everything new waits behind it
 * (docs/reference/executions.md, "Queue").
 */
export async function systemWorkflowRuns(db: Database, workflowId?: string): Promise<boolean> {
  const row = await db
    .selectFrom('executions')
    .select('id')
    .where('is_system_workflow', '=', true)
    .$if(workflowId !== undefined, (of) => of.where('workflow_id', '=', workflowId ?? ''))
    .where(isActiveOrQueued)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** What runs on the deployments or waits to, one execution of each at least: what may keep a new one from starting. */
export async function findRunning(db: Database, tenantId: number, deploymentIds: readonly string[]) {
  const { rows } = await sql<{ deployment_id: string; id: string; workflow_id: string; status: string }>`
    select distinct on (deployment_id) deployment_id, id, workflow_id, status from executions
    where tenant_id = ${tenantId} and deployment_id = any(${[...deploymentIds]}::text[]) and ${isActiveOrQueued}
    order by deployment_id, created_at`.execute(db)
  return new Map(rows.map((row) => [row.deployment_id, row]))
}

/**
 * Hands the executions to whichever workers take them next, with what those must reset first. One that has not ended is
 * taken from its worker, which the new fence stops; of one that has, operations may still be at work, and are waited for.
 */
export async function setForResume(
  transaction: Transaction,
  tenantId: number,
  ids: readonly string[],
  mode: 'resume' | 'force-resume' | null,
): Promise<void> {
  await transaction
    .updateTable('executions')
    .set({
      resume: true,
      resume_mode: mode,
      ended_at: null,
      ...(mode === null
        ? {
            lease_owner: null,
            lease_expires_at: sql<Date>`clock_timestamp() + ${pickUpMs} * interval '1 millisecond'`,
            lease_fence: sql<number>`lease_fence + 1`,
          }
        : offered),
    })
    .where('tenant_id', '=', tenantId)
    .where(sql<boolean>`id = any(${[...ids]}::text[])`)
    .execute()
}

/** Nobody's any more: a worker that still runs it can write nothing from now on. */
export async function takeFromWorker(transaction: Transaction, tenantId: number, id: string): Promise<void> {
  await transaction
    .updateTable('executions')
    .set({ lease_owner: null, lease_fence: sql`lease_fence + 1` })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

/** For the worker that takes it next, or, should its job be lost, for the first to look for abandoned ones. */
export async function offerToWorkers(transaction: Transaction, tenantId: number, id: string): Promise<void> {
  await transaction
    .updateTable('executions')
    .set(offered)
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

/** Operations of a cancelled execution that still run are to end: their token is void, and their worker kills them. */
export async function endWhatIsLeft(
  transaction: Transaction,
  tenantId: number,
  ids: readonly string[],
): Promise<void> {
  const rows = await transaction
    .updateTable('executions')
    .set({ token_hash: null })
    .where('tenant_id', '=', tenantId)
    .where(sql<boolean>`id = any(${[...ids]}::text[])`)
    .where('status', 'in', endStatuses)
    .where('lease_owner', 'is not', null)
    .returning('id')
    .execute()
  await notify(
    transaction,
    ...rows.map(({ id }) => ({ kind: 'execution_cancel', tenantId, executionId: id }) as const),
  )
}

export type ExecutionsToDelete = {
  readonly scope: Scope
  readonly createdBefore?: Date
  readonly keepLast?: number
}

/**
 * Deletes ended executions with their graphs and events. The newest terminated creation of each deployment stays:
 * it says that the deployment exists.
 */
export async function deleteEnded(
  transaction: Transaction,
  { scope, createdBefore, keepLast }: ExecutionsToDelete,
  conditions: readonly RawBuilder<unknown>[],
): Promise<number> {
  const { rows } = await sql<{ tenant_id: number; id: string }>`
    with candidates as (
      select e.tenant_id, e.id, row_number() over (order by e.created_at desc, e.id desc) as newest
      from executions e
      where ${visibleIn(executionResource, scope)} and e.status = any(${[...endStatuses]}::text[])
        ${createdBefore === undefined ? sql`` : sql`and e.created_at < ${createdBefore}`}
        ${conditions.length === 0 ? sql`` : sql`and ${sql.join(conditions, sql` and `)}`}
        and not exists (select from deployments d where d.tenant_id = e.tenant_id and d.create_execution_id = e.id)
    )
    delete from executions e using candidates c
    where e.tenant_id = c.tenant_id and e.id = c.id
      ${keepLast === undefined ? sql`` : sql`and c.newest > ${keepLast}`}
    returning e.tenant_id, e.id`.execute(transaction)
  if (rows.length === 0) return 0
  await sql`
    delete from events using unnest(${rows.map((row) => row.tenant_id)}::int[], ${rows.map((row) => row.id)}::text[])
      as gone (tenant_id, id)
    where events.tenant_id = gone.tenant_id and events.execution_id = gone.id`.execute(transaction)
  return rows.length
}

export const executionFilter = (field: string, values: readonly unknown[], scope: Scope) =>
  values.length === 0
    ? sql<boolean>`false`
    : Object.hasOwn(extraFilters, field)
      ? extraFilters[field as keyof typeof extraFilters](values, scope)
      : sql<boolean>`${executionResource.fields[field]?.column ?? sql`null`} in (${sql.join(values)})`

/** What the deployment has under that name. */
export async function readWorkflow(
  db: Database,
  tenantId: number,
  deploymentId: string,
  name: string,
): Promise<PlanWorkflow | null> {
  const row = await db
    .selectFrom('deployments')
    .select(sql<PlanWorkflow | null>`workflows -> ${name}`.as('workflow'))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', deploymentId)
    .executeTakeFirst()
  return row?.workflow ?? null
}
