import { Type } from 'typebox'
import {
  creationOverrides,
  Description,
  JsonObject,
  ListOf,
  Nullable,
  newVisibility,
} from '../shapes/common.ts'
import { DeploymentGroup, deploymentGroupFields } from '../shapes/deployment-group.ts'
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

/** docs/reference/groups.md, "Deployment groups". A key that is null or absent leaves the group as it is. */
export const DeploymentGroupPut = Type.Object({
  ...newVisibility,
  description: Type.Optional(Nullable(Description)),
  blueprint_id: Type.Optional(Nullable(Type.String())),
  default_inputs: Type.Optional(Nullable(JsonObject)),
  labels: Type.Optional(Nullable(Type.Array(Type.Unknown()))),
  ...selection,
  new_deployments: newDeployments,
  /** Of a new group, how it was elsewhere. */
  creation_counter: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 0x7fffffff }))),
  ...creationOverrides,
})

export const deploymentGroupRoutes = {
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
} as const
