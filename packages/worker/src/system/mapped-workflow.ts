import { readWorkflow } from '@tutti/domain/executions'
import {
  findBuiltInWorkflow,
  type Workflow,
  WorkflowError,
  type WorkflowMapping,
  whyNotRun,
} from '@tutti/engine'
import type { Database, ExecutionRow } from '@tutti/storage'

/**
 * What the execution's workflow is mapped to in its deployment: one of the engine's own, or a function in Python.
 *
 * @throws WorkflowError when that cannot be run
 */
export async function mappedWorkflow(
  db: Database,
  { tenant_id: tenantId, deployment_id: deploymentId, workflow_id: name }: ExecutionRow,
): Promise<Workflow | WorkflowMapping> {
  const mapping = await readWorkflow(db, tenantId, deploymentId ?? '', name)
  if (mapping === null) {
    throw new WorkflowError(`Workflow ${name} does not exist in deployment ${deploymentId}`)
  }
  const why = whyNotRun(name, mapping)
  if (why !== undefined) throw new WorkflowError(`Workflow ${name} cannot be run: ${why}`)
  const { plugin, operation } = mapping
  return findBuiltInWorkflow(mapping) ?? { plugin, operation }
}
