import { deleteDeployment } from '@tutti/domain/dependencies'
import { type WorkflowEnd, WorkflowError } from '@tutti/engine'
import { runOnChildren } from '../children/run-on-children.ts'
import { logFileOf, removeLog } from '../operations/index.ts'
import { beginSystemWorkflow, endSystemWorkflow } from './steps.ts'
import type { SystemWorkflow } from './system-workflow.ts'

/** Deletes the deployment with everything of it, its executions (this one too) and events; its log file on request. */
export const deleteEnvironment: SystemWorkflow = async (services, execution, control) => {
  const tenantId = execution.tenant_id
  const deploymentId = execution.deployment_id ?? ''
  if (!(await beginSystemWorkflow(services, execution, control))) {
    return endSystemWorkflow(services, execution, control, {})
  }
  if (execution.parameters.recursive === true) {
    const end = await deleteChildren(services, execution, control)
    if (end.status === 'failed') return endSystemWorkflow(services, execution, control, { error: end.error })
    if (end.status === 'cancelled') return endSystemWorkflow(services, execution, control, {})
  }
  if (execution.parameters.delete_logs === true) {
    const { logFolder } = services.settings.environment
    await removeLog(logFileOf(logFolder, tenantId, deploymentId))
  }
  await endSystemWorkflow(services, execution, control, {
    afterwards: (transaction) => deleteDeployment(transaction, tenantId, deploymentId),
  })
  services.resources.sweep()
}

async function deleteChildren(
  ...[services, execution, control]: Parameters<SystemWorkflow>
): Promise<WorkflowEnd> {
  try {
    const workflowId = 'delete_deployment_environment'
    const { parameters } = execution
    return await runOnChildren({ services, execution, control, workflowId, parameters })
  } catch (error) {
    if (error instanceof WorkflowError) return { status: 'failed', error: error.message }
    throw error
  }
}
