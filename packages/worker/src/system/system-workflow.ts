import type { ExecutionRow } from '@tutti/storage'
import type { ExecutionControl } from '../executions/control.ts'
import type { WorkerServices } from '../services.ts'

/** A workflow of the manager itself: it has no graph, and ends its execution in its own last transaction. */
export type SystemWorkflow = (
  services: WorkerServices,
  execution: ExecutionRow,
  control: ExecutionControl,
) => Promise<void>
