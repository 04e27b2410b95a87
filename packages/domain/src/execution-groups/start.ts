import { randomUUID } from 'node:crypto'
import {
  checkIdentifier,
  isEndStatus,
  type RouteBody,
  unavailableWorkflow,
  wireTypeOf,
  wrongType,
} from '@tutti/api'
import type { PlanWorkflow } from '@tutti/dsl'
import { whyNotRun } from '@tutti/engine'
import { deploymentGroupTable, insertEvents, type Transaction } from '@tutti/storage'
import { type Actor, inTransaction, requirePermission, tenantScope } from '../actor.ts'
import { lockMembers } from '../deployment-groups/index.ts'
import { startingEvaluator } from '../evaluation/index.ts'
import {
  byOwnerOfEvent,
  checkBuilt,
  checkCreated,
  finalParameters,
  findRefusals,
  findRunning,
  findUnavailability,
  insertExecutionGroup,
  insertExecutions,
  type NewExecution,
  systemWorkflowRuns,
} from '../executions/index.ts'
import { creationOf, lockOwned } from '../owned.ts'
import { transactionWithSecrets } from '../secrets/index.ts'
import { checkConcurrency } from './concurrency.ts'
import { type MemberToStart, readMembers } from './queries.ts'
import { restoreGroup } from './restore.ts'

type Given = Readonly<Record<string, unknown>>

type GroupStart = {
  readonly deploymentGroupId: string
  readonly workflowId: string
  readonly defaultParameters: Given
  readonly parameters: Readonly<Record<string, Given | null>>
  readonly force: boolean
  readonly concurrency: number
}

/**
 * Runs a workflow on every deployment of a group that has it: the first ones start, up to the concurrency, the others
 * are queued (docs/reference/groups.md, "Execution groups"). The group and all of its executions are written in one
 * transaction, by a number of statements that does not depend on how many there are. Parameters that do not fit refuse
 * the whole request; what keeps a single deployment out leaves a failed execution.
 */
export async function startGroup(actor: Actor, body: RouteBody<'executionGroups.start'>): Promise<string> {
  if (body.associated_executions != null && body.associated_executions.length > 0) {
    const { associated_executions: executions } = body
    return inTransaction(actor, (within, transaction) => restoreGroup(within, transaction, body, executions))
  }
  if (body.id != null) requirePermission(actor, 'set_execution_group_details')
  const start = startOf(body)
  const concurrency = checkConcurrency(start.concurrency)
  for (const [id, own] of Object.entries(start.parameters)) {
    if (own !== null && wireTypeOf(own) !== 'dict')
      throw wrongType(`parameters.${id}`, 'dict', wireTypeOf(own))
  }
  const id = body.id == null ? randomUUID() : checkIdentifier('id', body.id, 'any')
  await transactionWithSecrets(actor, async (within, transaction) => {
    const { queue } = within.services
    const { created_by: username, created_at: createdAt } = await creationOf(actor, transaction, body)
    const group = await lockOwned(actor, transaction, deploymentGroupTable, start.deploymentGroupId)
    const { tenant_id: tenantId, visibility } = group
    await insertExecutionGroup(transaction, {
      tenantId,
      id,
      deploymentGroupId: group.id,
      workflowId: start.workflowId,
      concurrency,
      visibility,
      createdBy: username,
      createdAt,
    })
    const ids = await lockMembers(transaction, tenantId, group.id, tenantScope(actor))
    const members = await readMembers(transaction, tenantId, ids, start.workflowId)
    const able = members.flatMap((member) => {
      const workflow = workflowOf(member)
      return workflow === null ? [] : [{ ...member, workflow }]
    })
    if (able.length === 0) checkBuilt(start.workflowId)
    const executions = await planExecutions(within, transaction, start, concurrency, able)
    await insertExecutions(
      transaction,
      queue,
      executions.map((execution) => ({ ...execution, executionGroupId: id })),
    )
    const there = new Set(able.map((member) => member.id))
    const skipped = members.filter((member) => !there.has(member.id))
    for (const { owner, members: those } of byOwnerOfEvent({ visibility, created_by: username }, skipped)) {
      const { visibility: seenBy, created_by: createdBy } = owner
      await insertEvents(
        transaction,
        { ...groupEvents, tenantId, executionGroupId: id, visibility: seenBy, createdBy },
        those.map((member) => ({
          isLog: true,
          reportedAt: actor.services.now(),
          level: 'warning',
          logger: 'tutti',
          message: `Deployment ${member.id} has no workflow ${start.workflowId}: skipped`,
        })),
      )
    }
  })
  return id
}

/** @throws bad_parameters_error */
function startOf(body: RouteBody<'executionGroups.start'>): GroupStart {
  if (body.deployment_group_id === null) throw wrongType('deployment_group_id', 'str', 'NoneType')
  return {
    deploymentGroupId: body.deployment_group_id,
    workflowId: body.workflow_id,
    defaultParameters: body.default_parameters ?? {},
    parameters: body.parameters ?? {},
    force: body.force ?? false,
    concurrency: body.concurrency ?? 5,
  }
}

/** Of events that are about the group and no single execution. */
const groupEvents = {
  executionId: null,
  workflowId: null,
  deploymentId: null,
  deploymentDisplayName: null,
  blueprintId: null,
  managerName: null,
  agentName: null,
}

/** A deployment that is still being created has what its blueprint has, once that has ended. */
const workflowOf = ({ workflow, planned_workflow, creation_status }: MemberToStart): PlanWorkflow | null =>
  creation_status === null || creation_status === 'terminated' ? workflow : planned_workflow

const isBeingCreated = ({ creation_status: status }: MemberToStart): boolean =>
  status !== null && !isEndStatus(status)

type Able = MemberToStart & { readonly workflow: PlanWorkflow }

/** Which execution each deployment gets, in the order of docs/reference/groups.md, "Execution groups". */
async function planExecutions(
  actor: Actor,
  transaction: Transaction,
  start: GroupStart,
  concurrency: number,
  members: readonly Able[],
): Promise<readonly NewExecution[]> {
  const [first] = members
  if (first === undefined) return []
  const { workflowId, force } = start
  const ids = members.map((member) => member.id)
  const planned: (Able & {
    readonly parameters: Parameters<typeof findRefusals>[2][number]['parameters']
  })[] = []
  const evaluator = startingEvaluator(actor)
  for (const member of members) {
    const given = {
      workflowId,
      parameters: { ...start.defaultParameters, ...start.parameters[member.id] },
      allowCustomParameters: false,
      isBeingCreated: isBeingCreated(member),
    }
    const parameters = await finalParameters(actor, member.id, member.workflow, given, evaluator)
    planned.push({ ...member, parameters })
  }
  const refusals = await findRefusals(actor, transaction, planned, start)
  const running = force ? undefined : await findRunning(transaction, first.tenant_id, ids)
  const unavailability = force ? undefined : await findUnavailability(transaction, first.tenant_id, members)
  let room = (await systemWorkflowRuns(transaction)) ? 0 : concurrency

  const outcomeOf = (member: Able): Pick<NewExecution, 'status' | 'error'> => {
    const failed = (message: string) => ({
      status: 'failed' as const,
      error: `Error preparing execution: ${message}`,
    })
    const isWaiting = isBeingCreated(member)
    const notBuiltIn = whyNotRun(workflowId, member.workflow)
    if (notBuiltIn !== undefined) return failed(`Workflow ${workflowId} cannot be run: ${notBuiltIn}`)
    const refused = refusals.get(member.id)
    if (refused !== undefined) return failed(refused.kept ?? refused.refusal.message)
    const notCreated = isWaiting ? undefined : whyNotCreated(member)
    if (notCreated !== undefined) return failed(notCreated.message)
    if (isWaiting || running?.has(member.id) || room === 0) return { status: 'queued' }
    const why = unavailability?.get(member.id)
    if (why !== undefined) return failed(unavailableWorkflow(workflowId, member.id, why).message)
    room -= 1
    return { status: 'pending' }
  }

  return planned.map((member) => ({
    tenantId: member.tenant_id,
    id: randomUUID(),
    workflowId,
    deployment: {
      id: member.id,
      displayName: member.display_name,
      blueprintId: member.blueprint_id,
    },
    parameters: member.parameters,
    force,
    visibility: member.visibility,
    createdBy: actor.caller.username,
    ...outcomeOf(member),
  }))
}

function whyNotCreated(member: Able): Error | undefined {
  try {
    checkCreated(member)
    return undefined
  } catch (error) {
    return error as Error
  }
}
