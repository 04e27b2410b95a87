import { randomUUID } from 'node:crypto'
import {
  badParameter,
  checkIdentifier,
  duplicate,
  type ExecutionStatus,
  isEndStatus,
  isExecutionStatus,
  notFound,
  parseTimestamp,
  type RouteBody,
} from '@tutti/api'
import type { PlanWorkflow } from '@tutti/dsl'
import type { Transaction } from '@tutti/storage'
import { type Actor, isHiddenFrom, requirePermission, tenantOf } from '../actor.ts'
import { creationOf } from '../owned.ts'
import { lockDeployment } from './queries.ts'
import { insertRecorded, setRestored } from './restore-queries.ts'

type Body = RouteBody<'executions.start'>

/** What only those may say who restore what was elsewhere; clients send them with every start, as nulls. */
const details = ['id', 'force_status', 'started_at', 'ended_at', 'error', 'is_system_workflow'] as const

/** @throws forbidden_error */
export function checkMayDescribe(actor: Actor, body: Body): void {
  // That an execution of a workflow is no system workflow is nothing that needs to be said.
  const isSaid = details.some((name) => body[name] != null && body[name] !== false && body[name] !== '')
  if (isSaid) requirePermission(actor, 'set_execution_details')
}

/** The id of an execution that is about to be written. @throws bad_parameters_error */
export const idOf = ({ id }: Pick<Body, 'id'>): string =>
  id == null || id === '' ? randomUUID() : checkIdentifier('id', id, 'any')

/**
 * Writes an execution that has run elsewhere, as it is described: nothing starts, and nothing is checked that a start
 * would check. One of a workflow of the manager itself may be without a deployment.
 *
 * @throws bad_parameters_error, conflict_error, forbidden_error, not_found_error
 */
export async function restoreExecution(
  actor: Actor,
  transaction: Transaction,
  body: Body,
  status: string,
): Promise<string> {
  checkMayDescribe(actor, body)
  if (!isExecutionStatus(status)) throw badParameter(`Invalid execution status: ${status}`)
  const id = idOf(body)
  const tenant = tenantOf(actor)
  const creation = await creationOf(actor, transaction, body)
  const deployment = await findPlace(actor, transaction, body.deployment_id)
  const isNew = await insertRecorded(transaction, {
    tenantId: tenant.id,
    id,
    workflowId: body.workflow_id,
    status,
    isUnfinished: !isEndStatus(status),
    error: body.error ?? '',
    deployment,
    parameters: { ...defaultsOf(deployment, body.workflow_id), ...body.parameters },
    isSystemWorkflow: body.is_system_workflow ?? false,
    isDryRun: body.dry_run ?? false,
    allowCustomParameters: body.allow_custom_parameters ?? false,
    force: body.force ?? false,
    visibility: deployment?.visibility ?? 'tenant',
    createdBy: creation.created_by,
    createdAt: creation.created_at,
    ...timesOf(body, status),
  })
  if (!isNew) throw duplicate('Execution', id, tenant.name)
  if (deployment !== undefined) await setRestored(transaction, tenant.id, deployment.id, id)
  return id
}

/** Where it ran: a deployment of the tenant itself, or none. @throws not_found_error */
async function findPlace(actor: Actor, transaction: Transaction, id: string) {
  if (id === '') return undefined
  const { id: tenantId } = tenantOf(actor)
  const deployment = await lockDeployment(transaction, tenantId, id)
  if (deployment?.tenant_id !== tenantId || isHiddenFrom(actor, deployment)) throw notFound('Deployment', id)
  return deployment
}

/** Of a workflow that the deployment has, parameters that are not given are as they would have been. */
function defaultsOf(
  deployment: { readonly workflows: unknown } | undefined,
  workflowId: string,
): Readonly<Record<string, unknown>> {
  const workflows = (deployment?.workflows ?? {}) as Readonly<Record<string, PlanWorkflow>>
  const workflow = Object.hasOwn(workflows, workflowId) ? workflows[workflowId] : undefined
  return Object.fromEntries(
    Object.entries(workflow?.parameters ?? {}).flatMap(([name, schema]) =>
      schema.default === undefined ? [] : [[name, schema.default]],
    ),
  )
}

/** What ended, ended at the latest now. */
function timesOf({ started_at: started, ended_at: ended }: Body, status: ExecutionStatus) {
  return {
    startedAt: started == null ? undefined : parseTimestamp(started),
    endedAt: ended == null ? (isEndStatus(status) ? ('now' as const) : undefined) : parseTimestamp(ended),
  }
}
