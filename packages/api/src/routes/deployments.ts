import { Type } from 'typebox'
import {
  creationOverrides,
  Description,
  JsonObject,
  ListOf,
  Nullable,
  newVisibility,
  WithData,
} from '../shapes/common.ts'
import {
  Deployment,
  DeploymentCapabilities,
  DeploymentOutputs,
  deploymentFields,
} from '../shapes/deployment.ts'
import { NamedObjects, RecordedWorkflow } from '../shapes/recorded.ts'
import { SetVisibility } from './blueprints.ts'
import { route } from './route.ts'

const document = Type.Optional(Nullable(JsonObject))
const named = Type.Optional(Nullable(NamedObjects))
const recordedDocuments = {
  outputs: named,
  capabilities: named,
  groups: named,
  scaling_groups: named,
  policy_types: named,
  policy_triggers: document,
  resource_tags: document,
}

/** docs/reference/deployments.md. */
export const DeploymentCreate = Type.Object({
  blueprint_id: Type.String(),
  inputs: Type.Optional(JsonObject),
  display_name: Type.Optional(Nullable(Type.String())),
  site_name: Type.Optional(Nullable(Type.String())),
  labels: Type.Optional(Type.Array(Type.Unknown())),
  ...newVisibility,
  skip_plugins_validation: Type.Optional(Type.Boolean()),
  runtime_only_evaluation: Type.Optional(Type.Boolean()),
  ...creationOverrides,
  /**
   * The working folder, zipped, in base64. A body that holds it, also an empty one, describes a deployment that was made
   * elsewhere, with what follows: it is only recorded.
   */
  workdir_zip: Type.Optional(Nullable(Type.String())),
  description: Type.Optional(Nullable(Description)),
  /** By their names, or as answers list them. */
  workflows: Type.Optional(
    Nullable(Type.Union([Type.Record(Type.String(), RecordedWorkflow), Type.Array(RecordedWorkflow)])),
  ),
  ...recordedDocuments,
  deployment_status: Type.Optional(Nullable(Type.String())),
  installation_status: Type.Optional(Nullable(Type.String())),
})

/** What the creation of a deployment sets, once and for all: only deployment updates change it. */
export const setByCreation = [
  'workflows',
  'inputs',
  'policy_types',
  'policy_triggers',
  'groups',
  'scaling_groups',
  'outputs',
  'capabilities',
  'runtime_only_evaluation',
  'resource_tags',
  'create_execution',
  'latest_execution',
] as const

const given = Type.Optional(Type.Unknown())

export const DeploymentPatch = Type.Object(
  {
    labels: Type.Optional(Type.Array(Type.Unknown())),
    display_name: Type.Optional(Type.String()),
    creator: Type.Optional(Type.String()),
    description: Type.Optional(Nullable(Description)),
    blueprint_id: Type.Optional(Nullable(Type.String())),
    ...(Object.fromEntries(setByCreation.map((name) => [name, given])) as Record<
      (typeof setByCreation)[number],
      typeof given
    >),
  },
  { minProperties: 1 },
)

/**
 * Only what this deployment depends on, directly or not (docs/reference/environments-and-dependencies.md, "Finding
 * dependencies").
 */
export const dependenciesOf = { _dependencies_of: Type.Optional(Type.String()) }

export const deploymentRoutes = {
  'deployments.list': route({
    method: 'GET',
    path: '/deployments',
    permission: 'deployment_list',
    allTenants: true,
    summary: 'List deployments',
    list: deploymentFields,
    query: Type.Object({
      ...dependenciesOf,
      ...WithData.properties,
      all_sub_deployments: Type.Optional(Type.Boolean()),
      include_workdir: Type.Optional(Type.Boolean()),
    }),
    response: ListOf(Deployment),
    status: 200,
  }),
  'deployments.get': route({
    method: 'GET',
    path: '/deployments/:deployment_id',
    permission: 'deployment_get',
    summary: 'Get a deployment',
    query: Type.Object({
      all_sub_deployments: Type.Optional(Type.Boolean()),
      include_workdir: Type.Optional(Type.Boolean()),
    }),
    response: Deployment,
    status: 200,
  }),
  'deployments.create': route({
    method: 'PUT',
    path: '/deployments/:deployment_id',
    permission: 'deployment_create',
    summary: 'Create a deployment of a blueprint',
    query: Type.Object({ async_create: Type.Optional(Type.Boolean()) }),
    body: DeploymentCreate,
    response: Deployment,
    status: 201,
  }),
  'deployments.update': route({
    method: 'PATCH',
    path: '/deployments/:deployment_id',
    since: 'v3.1',
    permission: 'deployment_update',
    summary: 'Change the labels, the display name or the owner of a deployment',
    body: DeploymentPatch,
    response: Deployment,
    status: 200,
  }),
  'deployments.delete': route({
    method: 'DELETE',
    path: '/deployments/:deployment_id',
    permission: 'deployment_delete',
    summary: 'Delete a deployment',
    query: Type.Object({
      force: Type.Optional(Type.Boolean()),
      delete_logs: Type.Optional(Type.Boolean()),
      recursive: Type.Optional(Type.Boolean()),
    }),
    response: 'empty',
    status: 204,
  }),
  'deployments.setVisibility': route({
    method: 'PATCH',
    path: '/deployments/:deployment_id/set-visibility',
    since: 'v3.1',
    permission: 'deployment_set_visibility',
    summary: 'Widen who can see a deployment',
    body: SetVisibility,
    response: Deployment,
    status: 200,
  }),
  'deployments.setSite': route({
    method: 'POST',
    path: '/deployments/:deployment_id/set-site',
    since: 'v3.1',
    permission: 'deployment_set_site',
    summary: 'Link a deployment to a site, or to none',
    body: Type.Object({
      site_name: Type.Optional(Nullable(Type.String())),
      detach_site: Type.Optional(Nullable(Type.Boolean())),
    }),
    response: Deployment,
    status: 200,
  }),
  'deployments.outputs': route({
    method: 'GET',
    path: '/deployments/:deployment_id/outputs',
    permission: 'deployment_modification_outputs',
    summary: 'Evaluate the outputs of a deployment',
    response: DeploymentOutputs,
    status: 200,
  }),
  'deployments.capabilities': route({
    method: 'GET',
    path: '/deployments/:deployment_id/capabilities',
    since: 'v3.1',
    permission: 'deployment_capabilities',
    summary: 'Evaluate the capabilities of a deployment',
    response: DeploymentCapabilities,
    status: 200,
  }),
  'deployments.verify': route({
    method: 'GET',
    path: '/deployments/:deployment_id/verify',
    since: 'v3.1',
    permission: 'deployment_modify',
    summary: 'Look whether node instances, relationships and counts of a deployment agree',
    response: Type.Object({
      deployment_id: Type.String(),
      /** What is wrong, a sentence each. */
      problems: Type.Array(Type.String()),
    }),
    status: 200,
  }),
} as const
