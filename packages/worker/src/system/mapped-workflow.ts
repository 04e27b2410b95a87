import { readWorkflow } from '@tutti/domain/executions'
import { builtInWorkflow, type Workflow, WorkflowError } from '@tutti/engine'
import type { Database, ExecutionRow } from '@tutti/storage'

/** What the execution's workflow is mapped to in its deployment. @throws WorkflowError when that cannot be run */
export async function mappedWorkflow(
  db: Database,
  { tenant_id: tenantId, deployment_id: deploymentId, workflow_id: name }: ExecutionRow,
): Promise<Workflow> {
  const mapping = await readWorkflow(db, tenantId, deploymentId ?? '', name)
  if (mapping !== null) return builtInWorkflow(mapping, name)
  throw new WorkflowError(`Workflow ${name} does not exist in deployment ${deploymentId}`)
}
