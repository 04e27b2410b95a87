import { isSystemWorkflowName, type SystemWorkflowName } from '@tutti/engine'
import type { ExecutionRow } from '@tutti/storage'
import type { ExecutionControl } from '../executions/control.ts'
import type { WorkerServices } from '../services.ts'
import { createEnvironment } from './create-environment.ts'
import { deleteEnvironment } from './delete-environment.ts'
import { uploadBlueprint } from './upload-blueprint.ts'

/** A workflow of the manager itself: it has no graph, and ends its execution in its own last transaction. */
export type SystemWorkflow = (
  services: WorkerServices,
  execution: ExecutionRow,
  control: ExecutionControl,
) => Promise<void>

const systemWorkflows: Readonly<Record<SystemWorkflowName, SystemWorkflow>> = {
  upload_blueprint: uploadBlueprint,
  create_deployment_environment: createEnvironment,
  delete_deployment_environment: deleteEnvironment,
}

export function findSystemWorkflow(name: string): SystemWorkflow | undefined {
  return isSystemWorkflowName(name) ? systemWorkflows[name] : undefined
}
