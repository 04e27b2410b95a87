import { evaluationHandlers } from '../src/features/evaluation/index.ts'
import { eventHandlers } from '../src/features/events/index.ts'
import { executionHandlers } from '../src/features/executions/index.ts'
import { managerHandlers } from '../src/features/manager/index.ts'
import { nodeInstanceHandlers } from '../src/features/node-instances/index.ts'
import { nodeHandlers } from '../src/features/nodes/index.ts'
import { operationHandlers } from '../src/features/operations/index.ts'
import type { Handlers } from '../src/request.ts'

/** Interim, until `src` has the list of all handlers. */
export const handlers = {
  ...executionHandlers,
  ...managerHandlers,
  ...eventHandlers,
  ...evaluationHandlers,
  ...nodeHandlers,
  ...nodeInstanceHandlers,
  ...operationHandlers,
} as unknown as Handlers
