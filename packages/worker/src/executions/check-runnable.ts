import type { StoredOperation } from '@tutti/engine'
import type { ExecutionRow } from '@tutti/storage'
import type { WorkerServices } from '../services.ts'
import type { ExecutionControl } from './control.ts'
import { inPieces } from './in-pieces.ts'
import { missingPlugins, wantedPlugins } from './missing-plugins.ts'
import { refuseUnbuilt } from './refuse-unbuilt.ts'

/** Whether these operations of the execution can run, with the plugins that they need. @throws WorkflowError */
export async function checkRunnable(
  services: WorkerServices,
  execution: ExecutionRow,
  control: ExecutionControl,
  operations: readonly StoredOperation[],
): Promise<void> {
  const wanted = await inPieces(control, wantedPlugins(operations))
  const missing = await missingPlugins(services.db, execution, wanted)
  await inPieces(control, refuseUnbuilt(execution.workflow_id, operations, missing))
}
