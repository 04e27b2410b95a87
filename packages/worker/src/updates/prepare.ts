import { randomUUID } from 'node:crypto'
import { ApiError } from '@tutti/api'
import { storePrepared, type UpdateOptions, type UpdateRow } from '@tutti/domain/deployment-updates'
import { DslError, type Json } from '@tutti/dsl'
import { type UpdateRun, WorkflowError } from '@tutti/engine'
import { checkLease, type ExecutionRow } from '@tutti/storage'
import type { ExecutionControl } from '../executions/control.ts'
import { runInThread, TaskAborted } from '../planning/thread.ts'
import type { PlannedUpdate, UpdateToPlan } from '../planning/update.ts'
import type { WorkerServices } from '../services.ts'
import { environmentAnswers } from '../system/environment-answers.ts'
import { readForUpdate } from './queries.ts'

/**
 * Computes what the update does and stores it with it; what its workflow is to do. It changes nothing of the deployment,
 * so whoever takes the execution over before that is applied begins again.
 *
 * @throws WorkflowError when the deployment cannot become that
 */
export async function prepareUpdate(
  services: WorkerServices,
  execution: ExecutionRow,
  control: ExecutionControl,
  update: UpdateRow,
): Promise<UpdateRun> {
  const present = await readForUpdate(services.db, update)
  const { blueprintId, blueprintTenantId } = update
  if (present === undefined || blueprintId === null || blueprintTenantId === null) {
    throw new WorkflowError(`The blueprint ${blueprintId} of the update is gone`)
  }
  const { planOf, plan, ...rest } = present
  const planned = await inPlanningThread(
    services,
    execution,
    {
      ...rest,
      plan,
      deploymentId: update.deploymentId,
      inputs: update.newInputs as Readonly<Record<string, Json>>,
      runtimeOnlyEvaluation: update.runtimeOnlyEvaluation,
      options: update.options as UpdateOptions,
      isPreview: update.preview,
    },
    { tenantId: blueprintTenantId, id: blueprintId },
  )
  if (!planned.ok) throw new WorkflowError(planned.error)
  const steps = planned.update.steps.map(({ supported: _, ...step }) => ({ id: randomUUID(), ...step }))
  await services.db.transaction().execute(async (transaction) => {
    await checkLease(transaction, control.lease)
    await storePrepared(transaction, update, { ...planned.update, steps, planOf })
  })
  return planned.update.run
}

async function inPlanningThread(
  services: WorkerServices,
  execution: ExecutionRow,
  update: UpdateToPlan,
  blueprint: { readonly tenantId: number; readonly id: string },
): Promise<PlannedUpdate> {
  const answers = environmentAnswers(services.db, execution, { id: update.deploymentId, blueprint })
  try {
    return await runInThread(() => services.planning.enter(execution.tenant_id), 'update', update, answers)
  } catch (error) {
    if (error instanceof TaskAborted) services.log.error({ err: error }, 'update not planned to an end')
    else if (!(error instanceof DslError || error instanceof ApiError)) throw error
    return { ok: false, error: error.message, isTooLarge: false }
  }
}
