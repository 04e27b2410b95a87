import { executionHandlers } from '../src/features/executions/index.ts'
import { managerHandlers } from '../src/features/manager/index.ts'
import type { Handlers } from '../src/request.ts'

/** Interim, until `src` has the list of all handlers. */
export const handlers = { ...executionHandlers, ...managerHandlers } as Handlers
