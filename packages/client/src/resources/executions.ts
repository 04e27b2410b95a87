import type { Execution, ExecutionAction } from '@tutti/api'
import type { Call } from '../call.ts'
import { type FollowOptions, followExecution } from '../follow-execution.ts'
import { iterate, type ListOptions, list } from '../pages.ts'

export type StartExecution = {
  readonly deploymentId: string
  readonly workflowId: string
  readonly parameters?: Readonly<Record<string, unknown>>
  readonly allowCustomParameters?: boolean
  readonly force?: boolean
  readonly dryRun?: boolean
  readonly queue?: boolean
  /** `YYYYMMDDHHMM+HHMM` */
  readonly scheduledTime?: string | undefined
}

export const executionMethods = (call: Call) => ({
  list: (options?: ListOptions<'executions.list'>) => list(call, 'executions.list', options),
  iterate: (options?: ListOptions<'executions.list'>) => iterate(call, 'executions.list', options),
  get: (id: string): Promise<Execution> => call('executions.get', { params: { execution_id: id } }),
  start: (given: StartExecution): Promise<Execution> =>
    call('executions.start', {
      body: {
        deployment_id: given.deploymentId,
        workflow_id: given.workflowId,
        parameters: { ...given.parameters },
        allow_custom_parameters: given.allowCustomParameters ?? false,
        force: given.force ?? false,
        dry_run: given.dryRun ?? false,
        queue: given.queue ?? false,
        ...(given.scheduledTime === undefined ? {} : { scheduled_time: given.scheduledTime }),
      },
    }),
  act: (id: string, action: ExecutionAction): Promise<Execution> =>
    call('executions.act', { params: { execution_id: id }, body: { action } }),
  /** Deletes ended executions: the oldest until `keepLast` remain, or those before a time; says how many. */
  delete: async (
    given: { readonly keepLast?: number | undefined; readonly toDatetime?: string | undefined },
    filters: Readonly<Record<string, string>> = {},
  ): Promise<number> => {
    const { items } = await call('executions.delete', {
      query: filters,
      body: {
        ...(given.keepLast === undefined ? {} : { keep_last: given.keepLast }),
        ...(given.toDatetime === undefined ? {} : { to_datetime: given.toDatetime }),
      },
    })
    return items[0]?.count ?? 0
  },
  /** Waits for the end of an execution and hands over its events on the way. */
  follow: (id: string, options?: FollowOptions): Promise<Execution> => followExecution(call, id, options),
})
