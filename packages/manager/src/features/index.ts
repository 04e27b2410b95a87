import type { Handlers } from '../request.ts'
import { blueprintHandlers } from './blueprints/index.ts'
import { deploymentHandlers } from './deployments/index.ts'
import { eventHandlers } from './events/index.ts'
import { executionHandlers } from './executions/index.ts'
import { managerHandlers } from './manager/index.ts'

/** Every endpoint that works; the compiler says when one of the route table is missing. */
export const handlers = {
  ...managerHandlers,
  ...blueprintHandlers,
  ...deploymentHandlers,
  ...executionHandlers,
  ...eventHandlers,
} as unknown as Handlers
