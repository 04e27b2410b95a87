import { Type } from 'typebox'
import { creationOverrides, EmptyBody, JsonObject, ListOf, Nullable } from '../shapes/common.ts'
import { DeploymentUpdate, deploymentUpdateFields } from '../shapes/deployment-update.ts'
import { route } from './route.ts'

const flag = Type.Optional(Nullable(Type.Boolean()))
const text = Type.Optional(Nullable(Type.String()))
const document = Type.Optional(Nullable(Type.Unknown()))

/** docs/reference/deployment-updates.md, "Parameters" */
export const UpdateInitiate = Type.Object({
  /** The deployment's own when left out. */
  blueprint_id: text,
  /** Overlaid on those that the deployment has. */
  inputs: Type.Optional(JsonObject),
  runtime_only_evaluation: flag,
  auto_correct_types: flag,
  reevaluate_active_statuses: flag,
  skip_install: flag,
  skip_uninstall: flag,
  skip_reinstall: flag,
  skip_drift_check: flag,
  skip_heal: flag,
  force_reinstall: flag,
  ignore_failure: flag,
  install_first: flag,
  update_plugins: flag,
  force: flag,
  preview: flag,
  /** Node instances that are installed again in any case. */
  reinstall_list: Type.Optional(Type.Array(Type.String(), { maxItems: 200_000 })),
  workflow_id: text,
})

/** What an update was, in words of whoever recorded it. */
const recorded = {
  state: text,
  steps: Type.Optional(Nullable(Type.Array(JsonObject))),
  deployment_plan: document,
  deployment_update_nodes: document,
  deployment_update_node_instances: document,
  deployment_update_deployment: document,
  modified_entity_ids: document,
  central_plugins_to_install: Type.Optional(Nullable(Type.Array(JsonObject))),
  central_plugins_to_uninstall: Type.Optional(Nullable(Type.Array(JsonObject))),
}

const initiate = {
  path: '/deployment-updates/:deployment_id/update/initiate',
  since: 'v2.1',
  permission: 'deployment_update_create',
  body: UpdateInitiate,
  response: DeploymentUpdate,
  status: 200,
} as const

export const deploymentUpdateRoutes = {
  'deploymentUpdates.list': route({
    method: 'GET',
    path: '/deployment-updates',
    since: 'v2.1',
    permission: 'deployment_update_list',
    allTenants: true,
    summary: 'List deployment updates',
    list: deploymentUpdateFields,
    response: ListOf(DeploymentUpdate),
    status: 200,
  }),
  'deploymentUpdates.get': route({
    method: 'GET',
    path: '/deployment-updates/:update_id',
    since: 'v2.1',
    permission: 'deployment_update_get',
    summary: 'Get a deployment update',
    response: DeploymentUpdate,
    status: 200,
  }),
  'deploymentUpdates.initiate': route({
    ...initiate,
    method: 'POST',
    summary: 'Update a deployment to a blueprint and inputs, or show what that would do',
  }),
  'deploymentUpdates.initiateByPut': route({
    ...initiate,
    method: 'PUT',
    summary: 'Update a deployment to a blueprint and inputs, or show what that would do',
  }),
  'deploymentUpdates.put': route({
    method: 'PUT',
    path: '/deployment-updates/:update_id',
    since: 'v2.1',
    permission: 'deployment_update_update',
    summary: 'Record a deployment update, as executions do',
    body: Type.Object({
      deployment_id: Type.String(),
      blueprint_id: text,
      inputs: Type.Optional(Nullable(JsonObject)),
      runtime_only_evaluation: flag,
      ...recorded,
      ...creationOverrides,
    }),
    response: DeploymentUpdate,
    status: 200,
  }),
  'deploymentUpdates.update': route({
    method: 'PATCH',
    path: '/deployment-updates/:update_id',
    since: 'v2.1',
    permission: 'deployment_update_update',
    summary: 'Change what a deployment update says, as executions do',
    body: Type.Object({
      ...recorded,
      /** The older names. */
      plan: document,
      nodes: document,
      node_instances: document,
    }),
    response: DeploymentUpdate,
    status: 200,
  }),
  'deploymentUpdates.finalize': route({
    method: 'POST',
    path: '/deployment-updates/:update_id/update/finalize',
    since: 'v2.1',
    permission: 'deployment_update_update',
    summary: 'Does nothing: an update is finalized by its own workflow',
    body: EmptyBody,
    response: DeploymentUpdate,
    status: 200,
  }),
} as const
