import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SystemWorkflow } from './index.ts'
import { childDeployments, deleteDeployment } from './queries.ts'
import { beginSystemWorkflow, endSystemWorkflow } from './steps.ts'

/** Deletes the deployment with everything of it, its executions (this one too) and events; its log file on request. */
export const deleteEnvironment: SystemWorkflow = async (services, execution, control) => {
  const tenantId = execution.tenant_id
  const deploymentId = execution.deployment_id ?? ''
  if (!(await beginSystemWorkflow(services, execution, control))) {
    return endSystemWorkflow(services, execution, control, {})
  }
  const children =
    execution.parameters.recursive === true ? await childDeployments(services.db, tenantId, deploymentId) : []
  if (children.length > 0) {
    const error =
      `Deleting ${deploymentId} with the deployments it contains is not built yet. ` +
      `Delete those first: ${children.join(', ')}`
    return endSystemWorkflow(services, execution, control, { error })
  }
  if (execution.parameters.delete_logs === true) {
    const { logFolder } = services.settings.environment
    await rm(join(logFolder, String(tenantId), `${deploymentId}.log`), { force: true })
  }
  await endSystemWorkflow(services, execution, control, {
    afterwards: (transaction) => deleteDeployment(transaction, tenantId, deploymentId),
  })
}
