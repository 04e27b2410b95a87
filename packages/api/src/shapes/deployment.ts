import { type Static, Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { JsonObject, Nullable, ownerFields, Shape, Timestamp } from './common.ts'
import { Label } from './label.ts'

/** One workflow of a deployment (docs/reference/deployments.md, "Fields"). */
export const Workflow = Shape('Workflow', {
  name: Type.String(),
  created_at: Nullable(Timestamp),
  plugin: Nullable(Type.String()),
  operation: Nullable(Type.String()),
  parameters: JsonObject,
  is_cascading: Type.Boolean(),
  is_available: Type.Boolean(),
  availability_rules: Nullable(JsonObject),
})
export type Workflow = Static<typeof Workflow>
export const workflowFields = fieldTable(Workflow)

/** How the deployment is, worst last (docs/reference/deployments.md, "Statuses"). */
export const deploymentStatuses = ['good', 'in_progress', 'requires_attention'] as const
export type DeploymentStatus = (typeof deploymentStatuses)[number]

/** docs/reference/deployments.md, "Fields" and "Statuses". */
export const Deployment = Shape('Deployment', {
  id: Type.String(),
  display_name: Type.String(),
  blueprint_id: Nullable(Type.String()),
  description: Nullable(Type.String()),
  inputs: Nullable(JsonObject),
  outputs: Nullable(JsonObject),
  capabilities: Nullable(JsonObject),
  groups: Nullable(JsonObject),
  scaling_groups: Nullable(JsonObject),
  policy_types: Nullable(JsonObject),
  policy_triggers: Nullable(JsonObject),
  resource_tags: Nullable(JsonObject),
  workflows: Type.Array(Workflow),
  labels: Type.Array(Label),
  deployment_groups: Type.Array(Type.String()),
  site_name: Nullable(Type.String()),
  runtime_only_evaluation: Type.Boolean(),
  create_execution: Nullable(Type.String()),
  latest_execution: Nullable(Type.String()),
  latest_execution_workflow_id: Nullable(Type.String()),
  latest_execution_status: Nullable(Type.String()),
  latest_execution_total_operations: Type.Integer(),
  latest_execution_finished_operations: Type.Integer(),
  installation_status: Type.String(),
  deployment_status: Type.String(),
  sub_services_status: Nullable(Type.String()),
  sub_environments_status: Nullable(Type.String()),
  sub_services_count: Type.Integer(),
  sub_environments_count: Type.Integer(),
  has_sub_deployments: Type.Boolean(),
  environment_type: Type.String(),
  unavailable_instances: Type.Integer(),
  drifted_instances: Type.Integer(),
  workdir_zip: Nullable(Type.String()),
  updated_at: Nullable(Timestamp),
  ...ownerFields,
})
export type Deployment = Static<typeof Deployment>

export const deploymentFields = fieldTable(Deployment, {
  sortsByLabel: true,
  extraFilters: { deployment_group_id: 'string', _group_id: 'string', _environments_only: 'boolean' },
})

/** `GET /deployments/{id}/outputs` (docs/reference/deployments.md, "Outputs and capabilities"). */
export const DeploymentOutputs = Shape('DeploymentOutputs', {
  deployment_id: Type.String(),
  outputs: JsonObject,
})
export type DeploymentOutputs = Static<typeof DeploymentOutputs>

export const DeploymentCapabilities = Shape('DeploymentCapabilities', {
  deployment_id: Type.String(),
  capabilities: JsonObject,
})
export type DeploymentCapabilities = Static<typeof DeploymentCapabilities>
