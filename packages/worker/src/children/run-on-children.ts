import { ApiError, isEndStatus } from '@tutti/api'
import { holdSource } from '@tutti/domain/dependencies'
import { checkUnused } from '@tutti/domain/deployments'
import { insertExecution, setExecutionStatus } from '@tutti/domain/executions'
import { Stopped, type WorkflowEnd, WorkflowError } from '@tutti/engine'
import {
  checkLease,
  type ExecutionRow,
  executionEvents,
  insertEvents,
  notify,
  type Transaction,
} from '@tutti/storage'
import type { ExecutionControl } from '../executions/control.ts'
import type { WorkerServices } from '../services.ts'
import { attemptId } from './attempt-id.ts'
import { type Child, isBusy, listChildren, lockStatus, readStatuses } from './queries.ts'

export type ChildrenRun = {
  readonly services: WorkerServices
  readonly execution: ExecutionRow
  readonly control: ExecutionControl
  readonly workflowId: 'uninstall' | 'delete_deployment_environment'
  /** Of the executions of the children. They do the same with their own children first. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** So many children are at work at once. */
const maxAtWork = 20
const pollMs = 250

/**
 * Runs a workflow on all deployments in this one, before it is the turn of this one (docs/reference/workflows.md,
 * "Recursive uninstall"). Children that something else is at are waited for. Repeated after a crash it finds what it
 * has started already.
 *
 * Nothing is put into the queue of executions: what waits there is started while few are active, and all of those might
 * be waiting for their children.
 *
 * @throws WorkflowError when a child may not go; Stopped
 */
export async function runOnChildren(run: ChildrenRun): Promise<WorkflowEnd> {
  const done = new Set<string>()
  const failed: string[] = []
  for (;;) {
    const children = (await childrenOf(run)).filter(({ id }) => !done.has(id))
    if (children.length === 0) break
    const isCancelled = await runOnThese(run, children, done, failed)
    if (isCancelled) return { status: 'cancelled' }
  }
  if (failed.length === 0) return { status: 'succeeded' }
  return { status: 'failed', error: `${run.workflowId} did not succeed on: ${failed.sort().join(', ')}` }
}

async function childrenOf({ services, execution, workflowId }: ChildrenRun): Promise<readonly Child[]> {
  const { tenant_id: tenantId, created_by: username } = execution
  const parentId = execution.deployment_id ?? ''
  const children = await listChildren(services.db, tenantId, parentId, { workflowId, username })
  if (children.some((child) => !child.isSeen)) {
    throw new WorkflowError(`Deployment ${parentId} holds deployments that ${username} may not change`)
  }
  return children
}

/** True when it was cancelled. */
async function runOnThese(
  run: ChildrenRun,
  children: readonly Child[],
  done: Set<string>,
  failed: string[],
): Promise<boolean> {
  const { services, execution, control } = run
  const atWork = new Map<string, string>()
  let waiting = [...children]
  let isCancelling = false
  while (waiting.length > 0 || atWork.size > 0) {
    control.lost.throwIfAborted()
    if (control.isDraining) throw new Stopped('this worker drains')
    if (control.cancelMode !== null && !isCancelling) {
      isCancelling = true
      waiting = []
      for (const id of atWork.values()) await cancel(run, id)
    }
    const busy: Child[] = []
    while (waiting.length > 0 && atWork.size < maxAtWork) {
      const child = waiting.shift() as Child
      const started = await start(run, child)
      if (started === 'busy') busy.push(child)
      else if (started === 'nothing to do') done.add(child.id)
      else atWork.set(child.id, started)
      if (busy.length >= maxAtWork) break
    }
    waiting.push(...busy)
    const statuses = await readStatuses(services.db, execution.tenant_id, [...atWork.values()])
    for (const [childId, executionId] of [...atWork]) {
      // A deletion that came to its end has taken its own execution along.
      const status = statuses.get(executionId) ?? 'terminated'
      if (!isEndStatus(status)) continue
      atWork.delete(childId)
      done.add(childId)
      if (status !== 'terminated') failed.push(childId)
    }
    if (waiting.length > 0 || atWork.size > 0) await pause(control)
  }
  return isCancelling
}

async function pause(control: ExecutionControl): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, pollMs)
    control.wake = () => {
      clearTimeout(timer)
      resolve()
    }
  })
  control.wake = () => {}
}

/** Starts the workflow on a child, or finds that it was started; answers the execution's id. */
async function start(run: ChildrenRun, child: Child): Promise<string | 'busy' | 'nothing to do'> {
  const { services, execution, control, workflowId } = run
  const tenantId = execution.tenant_id
  return services.db.transaction().execute(async (transaction) => {
    await checkLease(transaction, control.lease)
    if (!(await holdSource(transaction, tenantId, child.id))) return 'nothing to do'
    for (let attempt = 0; ; attempt += 1) {
      const id = attemptId(execution.id, child.id, attempt)
      const status = (await readStatuses(transaction, tenantId, [id])).get(id)
      // Who resumes wants another try of what failed.
      const isOver = status !== undefined && isEndStatus(status) && status !== 'terminated'
      if (isOver && execution.resume_mode !== null) continue
      if (status !== undefined) return id
      if (await isBusy(transaction, tenantId, child.id)) return 'busy'
      if (workflowId === 'uninstall' && !child.hasWorkflow) {
        const message = `Deployment ${child.id} has no workflow ${workflowId}: skipped`
        const log = { isLog: true, level: 'info', logger: 'tutti', message }
        await insertEvents(transaction, executionEvents(execution), [
          { ...log, reportedAt: new Date(services.now()) },
        ])
        return 'nothing to do'
      }
      if (!isForced(run)) await checkChild(run, transaction, child)
      await insertExecution(transaction, services.queue, {
        tenantId,
        id,
        workflowId,
        status: 'pending',
        deployment: { id: child.id, displayName: child.displayName, blueprintId: child.blueprintId },
        parameters: run.parameters,
        isDryRun: execution.is_dry_run,
        allowCustomParameters: true,
        force: execution.force,
        waitAfterFail: execution.wait_after_fail,
        visibility: child.visibility,
        createdBy: execution.created_by,
      })
      return id
    }
  })
}

const isForced = ({ execution, parameters }: ChildrenRun) => execution.force || parameters.force === true

/** @throws WorkflowError when somebody outside still needs the child, or it is to be deleted with its instances */
async function checkChild(
  { execution, workflowId }: ChildrenRun,
  transaction: Transaction,
  child: Child,
): Promise<void> {
  const within = execution.deployment_id ?? ''
  await checkUnused(transaction, execution.tenant_id, [child.id], {
    by: workflowId,
    recursive: true,
    within,
  }).catch((error: unknown) => {
    throw error instanceof ApiError ? new WorkflowError(error.message) : error
  })
}

const cancelStatus = {
  cancel: 'cancelling',
  'force-cancel': 'force_cancelling',
  kill: 'kill_cancelling',
} as const

async function cancel({ services, execution, control }: ChildrenRun, executionId: string): Promise<void> {
  const key = { tenantId: execution.tenant_id, executionId }
  await services.db.transaction().execute(async (transaction) => {
    await checkLease(transaction, control.lease)
    const status = await lockStatus(transaction, key.tenantId, executionId)
    if (status === undefined || isEndStatus(status)) return
    await setExecutionStatus(transaction, key, { status: cancelStatus[control.cancelMode ?? 'cancel'] })
    await notify(transaction, { kind: 'execution_cancel', ...key })
  })
}
