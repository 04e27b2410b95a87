import { Type } from 'typebox'
import { JsonObject, ListOf, Nullable } from '../shapes/common.ts'
import { DeploymentGroup, deploymentGroupFields } from '../shapes/deployment-group.ts'
import { ExecutionGroup, executionGroupFields } from '../shapes/execution-group.ts'
import { route } from './route.ts'

/** Which existing deployments are meant; all that are named together. */
const selection = {
  deployment_ids: Type.Optional(Nullable(Type.Array(Type.String()))),
  deployments_from_group: Type.Optional(Nullable(Type.String())),
  filter_id: Type.Optional(Nullable(Type.String())),
  filter_rules: Type.Optional(Nullable(Type.Array(Type.Unknown()))),
}

/** `id` is a template: `{group_id}`, `{uuid}`, `{blueprint_id}`, `{count}`, `{site_name}`. */
const newDeployments = Type.Optional(
  Nullable(
    Type.Array(
      Type.Object({
        id: Type.Optional(Nullable(Type.String())),
        display_name: Type.Optional(Nullable(Type.String())),
        inputs: Type.Optional(Nullable(JsonObject)),
        labels: Type.Optional(Nullable(Type.Array(Type.Unknown()))),
        site_name: Type.Optional(Nullable(Type.String())),
      }),
    ),
  ),
)

export const DeploymentSelection = Type.Object(selection)
export const DeploymentGroupAddition = Type.Object({ ...selection, new_deployments: newDeployments })

/** spec/rest-facts-a.md 8. A key that is null or absent leaves the group as it is. */
export const DeploymentGroupPut = Type.Object({
  visibility: Type.Optional(Nullable(Type.String())),
  description: Type.Optional(Nullable(Type.String())),
  blueprint_id: Type.Optional(Nullable(Type.String())),
  default_inputs: Type.Optional(Nullable(JsonObject)),
  labels: Type.Optional(Nullable(Type.Array(Type.Unknown()))),
  ...selection,
  new_deployments: newDeployments,
})

/** spec/rest-facts-a.md 14. */
export const ExecutionGroupStart = Type.Object({
  deployment_group_id: Type.String(),
  workflow_id: Type.String(),
  /** For all; `parameters` of a deployment come before them. */
  default_parameters: Type.Optional(Nullable(JsonObject)),
  /** By deployment id. */
  parameters: Type.Optional(Nullable(Type.Record(Type.String(), Nullable(JsonObject)))),
  force: Type.Optional(Nullable(Type.Boolean())),
  concurrency: Type.Optional(Nullable(Type.Integer())),
})

export const groupRoutes = {
  'deploymentGroups.list': route({
    method: 'GET',
    path: '/deployment-groups',
    since: 'v3.1',
    permission: 'deployment_group_list',
    allTenants: true,
    summary: 'List deployment groups',
    list: deploymentGroupFields,
    response: ListOf(DeploymentGroup),
    status: 200,
  }),
  'deploymentGroups.get': route({
    method: 'GET',
    path: '/deployment-groups/:group_id',
    since: 'v3.1',
    permission: 'deployment_group_get',
    summary: 'Get a deployment group',
    response: DeploymentGroup,
    status: 200,
  }),
  'deploymentGroups.put': route({
    method: 'PUT',
    path: '/deployment-groups/:group_id',
    since: 'v3.1',
    permission: 'deployment_group_create',
    summary: 'Create a deployment group, or change what it is and has',
    body: DeploymentGroupPut,
    response: DeploymentGroup,
    status: 200,
  }),
  'deploymentGroups.update': route({
    method: 'PATCH',
    path: '/deployment-groups/:group_id',
    since: 'v3.1',
    permission: 'deployment_group_update',
    summary: 'Add deployments to a group, new ones too, or take some out',
    body: Type.Object({
      add: Type.Optional(Nullable(DeploymentGroupAddition)),
      remove: Type.Optional(Nullable(DeploymentSelection)),
    }),
    response: DeploymentGroup,
    status: 200,
  }),
  'deploymentGroups.delete': route({
    method: 'DELETE',
    path: '/deployment-groups/:group_id',
    since: 'v3.1',
    permission: 'deployment_group_delete',
    summary: 'Delete a deployment group, and its deployments when asked to',
    query: Type.Object({
      delete_deployments: Type.Optional(Type.Boolean()),
      force: Type.Optional(Type.Boolean()),
      delete_logs: Type.Optional(Type.Boolean()),
      recursive: Type.Optional(Type.Boolean()),
    }),
    /** Answered with 204 and nothing when no deployments are deleted. */
    response: Type.Object({ execution_group_id: Type.String() }),
    status: 200,
  }),
  'labels.deploymentGroups.keys': route({
    method: 'GET',
    path: '/labels/deployment_groups',
    since: 'v3.1',
    permission: 'labels_list',
    summary: 'List the label keys of deployment groups',
    query: Type.Object({ _reserved: Type.Optional(Type.Boolean()) }),
    response: ListOf(Type.String()),
    status: 200,
  }),
  'labels.deploymentGroups.values': route({
    method: 'GET',
    path: '/labels/deployment_groups/:label_key',
    since: 'v3.1',
    permission: 'labels_list',
    summary: 'List the values of a label key of deployment groups',
    response: ListOf(Type.String()),
    status: 200,
  }),

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
