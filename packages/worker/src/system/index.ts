import { isSystemWorkflowName, type SystemWorkflowName } from '@tutti/engine'
import { createEnvironment } from './create-environment.ts'
import { deleteEnvironment } from './delete-environment.ts'
import type { SystemWorkflow } from './system-workflow.ts'
import { uploadBlueprint } from './upload-blueprint.ts'

const systemWorkflows: Readonly<Record<SystemWorkflowName, SystemWorkflow>> = {
  upload_blueprint: uploadBlueprint,
  create_deployment_environment: createEnvironment,
  delete_deployment_environment: deleteEnvironment,
}

export function findSystemWorkflow(name: string): SystemWorkflow | undefined {
  return isSystemWorkflowName(name) ? systemWorkflows[name] : undefined
}
