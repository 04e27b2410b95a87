import { Type } from 'typebox'
import { creationOverrides, JsonObject, ListOf, Nullable } from '../shapes/common.ts'
import { ExecutionGroup, executionGroupFields } from '../shapes/execution-group.ts'
import { route } from './route.ts'

/** docs/reference/groups.md, "Execution groups". */
export const ExecutionGroupStart = Type.Object({
  deployment_group_id: Nullable(Type.String()),
  workflow_id: Type.String(),
  /** For all; `parameters` of a deployment come before them. */
  default_parameters: Type.Optional(Nullable(JsonObject)),
  /** By deployment id. */
  parameters: Type.Optional(Nullable(Type.Record(Type.String(), Nullable(JsonObject)))),
  force: Type.Optional(Nullable(Type.Boolean())),
  concurrency: Type.Optional(Nullable(Type.Integer())),
  /** Executions that are there already: nothing starts, and of the deployment group no more than its name is needed. */
  associated_executions: Type.Optional(Nullable(Type.Array(Type.String()))),
  id: Type.Optional(Nullable(Type.String())),
  ...creationOverrides,
})

export const executionGroupRoutes = {
  'executionGroups.list': route({
    method: 'GET',
    path: '/execution-groups',
    since: 'v3.1',
    permission: 'execution_group_list',
    allTenants: true,
    summary: 'List execution groups',
    list: executionGroupFields,
    response: ListOf(ExecutionGroup),
    status: 200,
  }),
  'executionGroups.get': route({
    method: 'GET',
    path: '/execution-groups/:group_id',
    since: 'v3.1',
    permission: 'execution_group_get',
    summary: 'Get an execution group',
    response: ExecutionGroup,
    status: 200,
  }),
  'executionGroups.start': route({
    method: 'POST',
    path: '/execution-groups',
    since: 'v3.1',
    permission: 'execution_group_create',
    summary: 'Run a workflow on all deployments of a group',
    body: ExecutionGroupStart,
    response: ExecutionGroup,
    status: 200,
  }),
  'executionGroups.act': route({
    method: 'POST',
    path: '/execution-groups/:group_id',
    since: 'v3.1',
    permission: 'execution_group_cancel',
    summary: 'Cancel, kill or resume the executions of a group',
    body: Type.Object({ action: Type.String() }),
    response: ExecutionGroup,
    status: 200,
  }),
  'executionGroups.update': route({
    method: 'PATCH',
    path: '/execution-groups/:group_id',
    since: 'v3.1',
    permission: 'execution_group_update',
    summary: 'Set how many executions of a group run at once, and where its deployments go afterwards',
    body: Type.Object({
      success_group_id: Type.Optional(Nullable(Type.String())),
      failure_group_id: Type.Optional(Nullable(Type.String())),
      concurrency: Type.Optional(Nullable(Type.Integer())),
    }),
    response: ExecutionGroup,
    status: 200,
  }),
} as const
