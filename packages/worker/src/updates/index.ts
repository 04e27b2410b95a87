/** Updates of deployments: what one does is computed here, before its workflow does it. */

import { readUpdateOf } from '@tutti/domain/deployment-updates'
import { updateWorkflow, updateWorkflowName, type Workflow } from '@tutti/engine'
import type { ExecutionRow } from '@tutti/storage'
import type { ExecutionControl } from '../executions/control.ts'
import type { WorkerServices } from '../services.ts'
import { prepareUpdate } from './prepare.ts'

/**
 * The workflow of an update, prepared unless it was applied already; undefined for the execution of any other workflow,
 * also of one that a blueprint calls so.
 *
 * @throws WorkflowError when the deployment cannot become what is asked for
 */
export async function findUpdateWorkflow(
  services: WorkerServices,
  execution: ExecutionRow,
  control: ExecutionControl,
): Promise<Workflow | undefined> {
  if (execution.workflow_id !== updateWorkflowName) return undefined
  const update = await readUpdateOf(services.db, execution)
  if (update === undefined) return undefined
  const applied = execution.phase === null ? null : update.run
  return updateWorkflow(applied ?? (await prepareUpdate(services, execution, control, update)))
}
