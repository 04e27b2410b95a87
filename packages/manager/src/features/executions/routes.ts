import { wholeAnswer } from '@tutti/domain'
import {
  actOnExecution,
  changeStatus,
  getExecution,
  listExecutions,
  removeExecutions,
  startExecution,
} from '@tutti/domain/executions'
import type { Handlers } from '../../request.ts'

/** docs/reference/executions.md */
export const executionHandlers = {
  'executions.list': (request) =>
    listExecutions(request, request.list, {
      withSystem: request.options._include_system_workflows ?? false,
    }),

  'executions.get': (request) => getExecution(request, request.params.execution_id, request.include),

  async 'executions.start'(request) {
    const id = await startExecution(request, request.body)
    return getExecution(request, id, request.include)
  },

  async 'executions.act'(request) {
    await actOnExecution(request, request.params.execution_id, request.body.action)
    return getExecution(request, request.params.execution_id, request.include)
  },

  async 'executions.update'(request) {
    const { status, error } = request.body
    await changeStatus(request, request.params.execution_id, status, error ?? undefined)
    return getExecution(request, request.params.execution_id, request.include)
  },

  async 'executions.delete'(request) {
    const count = await removeExecutions(request, request.list, request.body)
    return wholeAnswer([{ count }])
  },
} satisfies Partial<Handlers>
