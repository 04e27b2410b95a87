import { ApiError } from '@tutti/api'
import { listAnswer, wholeAnswer } from '../../list-answer.ts'
import type { Handlers } from '../../request.ts'
import { actOnExecution, deleteExecutions, getExecution, listExecutions, updateStatus } from './service.ts'
import { startExecution } from './start.ts'

/** spec/rest-spec-a.md 4.5, spec/rest-facts-a.md 13 */
export const executionHandlers = {
  'executions.list': async (request) =>
    listAnswer(
      request.list,
      await listExecutions(request, request.list, {
        withSystem: request.options._include_system_workflows ?? false,
      }),
    ),

  'executions.get': (request) => getExecution(request, request.params.execution_id, request.include),

  async 'executions.start'(request) {
    const { body } = request
    if (body.scheduled_time != null || body.schedule != null) {
      throw new ApiError('not_implemented', 'Starting an execution at a later time is not built yet', {
        hint: 'Leave out scheduled_time; pass queue=true to run it after what runs now',
      })
    }
    const id = await startExecution(request, {
      deploymentId: body.deployment_id,
      workflowId: body.workflow_id,
      parameters: body.parameters ?? {},
      allowCustomParameters: body.allow_custom_parameters ?? false,
      force: body.force ?? false,
      dryRun: body.dry_run ?? false,
      queue: body.queue ?? false,
      waitAfterFail: body.wait_after_fail ?? undefined,
    })
    return getExecution(request, id, request.include)
  },

  async 'executions.act'(request) {
    await actOnExecution(request, request.params.execution_id, request.body.action)
    return getExecution(request, request.params.execution_id, request.include)
  },

  async 'executions.update'(request) {
    const { status, error } = request.body
    await updateStatus(request, request.params.execution_id, status, error ?? undefined)
    return getExecution(request, request.params.execution_id, request.include)
  },

  async 'executions.delete'(request) {
    const count = await deleteExecutions(request, request.list, request.body)
    return wholeAnswer([{ count }])
  },
} satisfies Partial<Handlers>
