import type { PlanWorkflow } from '@tutti/dsl'
import {
  type Database,
  executionGroupTable,
  type ListedResource,
  ownedAs,
  ownedResource,
  type Scope,
  type Transaction,
  type Visibility,
  visibleIn,
} from '@tutti/storage'
import { sql } from 'kysely'
import { executionResource } from '../executions/index.ts'

/** A deployment group that the execution group names, where it is in the scope. */
const ifSeen = (column: 'success_group_id' | 'failure_group_id') => (scope: Scope) =>
  sql`(select g.id from deployment_groups g where g.tenant_id = x.tenant_id and g.id = ${sql.ref(`x.${column}`)}
    and ${visibleIn(ownedAs('g'), scope)})`

/** docs/reference/groups.md, "Execution groups". Of the members, those are named that are in the scope. */
export const executionGroupResource: ListedResource = ownedResource(executionGroupTable, {
  deployment_group_id: { column: sql`x.deployment_group_id` },
  workflow_id: { column: sql`x.workflow_id` },
  concurrency: { column: sql`x.concurrency` },
  success_group_id: { column: ifSeen('success_group_id') },
  failure_group_id: { column: ifSeen('failure_group_id') },
  status: {
    column: sql`(
        select case
          when count(*) = 0 then null
          when bool_and(e.status = 'pending') then 'pending'
          when bool_and(e.status in ('pending', 'queued', 'scheduled')) then 'queued'
          when bool_and(e.status in ('terminated', 'failed', 'cancelled')) then
            case when bool_or(e.status = 'failed') then 'failed' else 'terminated' end
          else 'started' end
        from executions e where e.tenant_id = x.tenant_id and e.execution_group_id = x.id)`,
  },
  execution_ids: {
    column: (scope) => sql`(select coalesce(json_agg(e.id order by e.created_at, e.id), '[]'::json)
        from executions e
        where e.tenant_id = x.tenant_id and e.execution_group_id = x.id and ${visibleIn(executionResource, scope)})`,
  },
})

/** What only single answers hold, because it grows with the group. */
export const ofMembers: readonly string[] = ['status', 'execution_ids']

export type MemberToStart = {
  readonly tenant_id: number
  readonly id: string
  readonly display_name: string
  readonly blueprint_id: string
  readonly visibility: Visibility
  readonly created_by: string
  readonly creation_status: string | null
  readonly creation_error: string | null
  /** What the deployment has under that name; null when it has none, and while it is being created. */
  readonly workflow: PlanWorkflow | null
  /** What it will have, as its blueprint has it. */
  readonly planned_workflow: PlanWorkflow | null
}

/** Deployments that a workflow is to start on, oldest first. The plan of each blueprint is looked into once. */
export async function readMembers(
  db: Database,
  tenantId: number,
  ids: readonly string[],
  workflowId: string,
): Promise<MemberToStart[]> {
  const { rows } = await sql<MemberToStart>`
    with chosen as (
      select d.*, c.status as creation_status, c.error as creation_error
      from deployments d
      left join executions c on c.tenant_id = d.tenant_id and c.id = d.create_execution_id
      where d.tenant_id = ${tenantId} and d.id = any(${[...ids]}::text[])
    ), planned as materialized (
      select b.tenant_id, b.id, b.plan->'workflows'->${workflowId}::text as workflow
      from blueprints b
      where (b.tenant_id, b.id) in (
        select blueprint_tenant_id, blueprint_id from chosen where creation_status is distinct from 'terminated')
    )
    select d.tenant_id, d.id, d.display_name, d.blueprint_id, d.visibility, d.created_by, d.creation_status, d.creation_error,
      d.workflows->${workflowId}::text as workflow, p.workflow as planned_workflow
    from chosen d
    left join planned p on p.tenant_id = d.blueprint_tenant_id and p.id = d.blueprint_id
    order by d.created_at, d.id`.execute(db)
  return rows
}

export type LockedMember = {
  readonly id: string
  readonly workflow_id: string
  readonly status: string
  readonly lease_owner: string | null
  readonly is_system_workflow: boolean
}

/** The group's executions that the caller sees, locked in one order for all: their statuses are decided upon now. */
export async function lockExecutions(
  transaction: Transaction,
  tenantId: number,
  groupId: string,
  scope: Scope,
): Promise<LockedMember[]> {
  const { rows } = await sql<LockedMember>`
    select e.id, e.workflow_id, e.status, e.lease_owner, e.is_system_workflow from executions e
    where e.tenant_id = ${tenantId} and e.execution_group_id = ${groupId} and ${visibleIn(executionResource, scope)}
    order by e.id for no key update of e`.execute(transaction)
  return rows
}

/** Makes executions that the caller sees members of the group; answers which of these there are. */
export async function putInGroup(
  transaction: Transaction,
  tenantId: number,
  groupId: string,
  executionIds: readonly string[],
  scope: Scope,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    update executions e set execution_group_id = ${groupId}
    where e.tenant_id = ${tenantId} and e.id = any(${[...executionIds]}::text[]) and ${visibleIn(ownedAs('e'), scope)}
    returning e.id`.execute(transaction)
  return new Set(rows.map((row) => row.id))
}

export type GroupChange = {
  readonly concurrency?: number
  readonly success_group_id?: string
  readonly failure_group_id?: string
}

export async function updateGroup(
  transaction: Transaction,
  tenantId: number,
  id: string,
  change: GroupChange,
): Promise<void> {
  await transaction
    .updateTable('execution_groups')
    .set(change)
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

/** Deployments in the scope on which executions of the group have ended so. */
export async function deploymentsThatEnded(
  db: Database,
  tenantId: number,
  groupId: string,
  status: 'terminated' | 'failed',
  scope: Scope,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select d.id from deployments d
    where d.tenant_id = ${tenantId} and ${visibleIn(ownedAs('d'), scope)} and d.id in (
      select deployment_id from executions
      where tenant_id = ${tenantId} and execution_group_id = ${groupId} and status = ${status})`.execute(db)
  return rows.map((row) => row.id)
}
