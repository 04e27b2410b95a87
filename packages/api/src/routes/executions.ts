import { Type } from 'typebox'
import { creationOverrides, JsonObject, ListMetadata, ListOf, Nullable } from '../shapes/common.ts'
import { Execution, executionFields } from '../shapes/execution.ts'
import { route } from './route.ts'

/**
 * docs/reference/executions.md, "Start". The time of a later start is `scheduled_time` in
 * clients and `schedule` in the specification.
 */
export const ExecutionStart = Type.Object({
  deployment_id: Type.String(),
  workflow_id: Type.String(),
  parameters: Type.Optional(Nullable(JsonObject)),
  allow_custom_parameters: Type.Optional(Nullable(Type.Boolean())),
  force: Type.Optional(Nullable(Type.Boolean())),
  dry_run: Type.Optional(Nullable(Type.Boolean())),
  queue: Type.Optional(Nullable(Type.Boolean())),
  /** `YYYYMMDDHHMM+HHMM` */
  scheduled_time: Type.Optional(Nullable(Type.String())),
  schedule: Type.Optional(Nullable(Type.String())),
  /** Seconds that independent branches may go on after a failure. */
  wait_after_fail: Type.Optional(Nullable(Type.Integer({ minimum: 0 }))),
  /** Of one that ran elsewhere: it is only recorded, with what follows, and nothing starts. */
  force_status: Type.Optional(Nullable(Type.String())),
  id: Type.Optional(Nullable(Type.String())),
  started_at: Type.Optional(Nullable(Type.String())),
  ended_at: Type.Optional(Nullable(Type.String())),
  error: Type.Optional(Nullable(Type.String())),
  is_system_workflow: Type.Optional(Nullable(Type.Boolean())),
  ...creationOverrides,
})

export const executionRoutes = {
  'executions.list': route({
    method: 'GET',
    path: '/executions',
    permission: 'execution_list',
    allTenants: true,
    summary: 'List executions',
    list: executionFields,
    query: Type.Object({
      _include_system_workflows: Type.Optional(Type.Boolean()),
    }),
    response: ListOf(Execution),
    status: 200,
  }),
  'executions.get': route({
    method: 'GET',
    path: '/executions/:execution_id',
    permission: 'execution_get',
    summary: 'Get an execution',
    response: Execution,
    status: 200,
  }),
  'executions.start': route({
    method: 'POST',
    path: '/executions',
    permission: 'execution_start',
    summary: 'Run a workflow of a deployment',
    body: ExecutionStart,
    response: Execution,
    status: 201,
  }),
  'executions.act': route({
    method: 'POST',
    path: '/executions/:execution_id',
    permission: 'execution_cancel',
    summary: 'Cancel, kill or resume an execution',
    body: Type.Object({ action: Type.String(), force: Type.Optional(Nullable(Type.Boolean())) }),
    response: Execution,
    status: 200,
  }),
  'executions.update': route({
    method: 'PATCH',
    path: '/executions/:execution_id',
    permission: 'execution_status_update',
    summary: 'Set the status of an execution',
    body: Type.Object({ status: Type.String(), error: Type.Optional(Nullable(Type.String())) }),
    response: Execution,
    status: 200,
  }),
  'executions.delete': route({
    method: 'DELETE',
    path: '/executions',
    since: 'v3.1',
    permission: 'execution_delete',
    allTenants: true,
    summary: 'Delete ended executions',
    list: executionFields,
    body: Type.Object({
      keep_last: Type.Optional(Nullable(Type.Integer())),
      to_datetime: Type.Optional(Nullable(Type.String())),
    }),
    response: Type.Object({
      items: Type.Array(Type.Object({ count: Type.Integer() })),
      metadata: ListMetadata,
    }),
    status: 200,
  }),
} as const
