import { type Static, Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { JsonObject, Nullable, ownerFields, Shape } from './common.ts'

/** One difference between the deployment and the new blueprint. */
export const UpdateStepShape = Type.Object({
  id: Type.String(),
  action: Type.String(),
  entity_type: Type.String(),
  entity_id: Type.Array(Type.String()),
  topology_order: Type.Integer(),
})

const Names = Type.Array(Type.String())
const Objects = Type.Array(JsonObject)

/** docs/reference/deployment-updates.md */
export const DeploymentUpdate = Shape('DeploymentUpdate', {
  id: Type.String(),
  deployment_id: Type.String(),
  /** updating, successful or failed */
  state: Type.String(),
  preview: Type.Boolean(),
  old_blueprint_id: Nullable(Type.String()),
  new_blueprint_id: Nullable(Type.String()),
  old_inputs: JsonObject,
  new_inputs: JsonObject,
  runtime_only_evaluation: Type.Boolean(),
  execution_id: Nullable(Type.String()),
  steps: Type.Array(Type.Union([UpdateStepShape, JsonObject])),
  deployment_plan: Nullable(JsonObject),
  deployment_update_deployment: Nullable(JsonObject),
  deployment_update_nodes: Nullable(
    Type.Object({
      add: Type.Optional(Names),
      remove: Type.Optional(Names),
      modify_attributes: Type.Optional(Type.Record(Type.String(), Names)),
    }),
  ),
  deployment_update_node_instances: Nullable(
    Type.Object({
      added_and_related: Type.Optional(Objects),
      removed_and_related: Type.Optional(Objects),
      extended_and_related: Type.Optional(Objects),
      reduced_and_related: Type.Optional(Objects),
      relationships_changed: Type.Optional(Names),
    }),
  ),
  modified_entity_ids: Nullable(JsonObject),
  central_plugins_to_install: Objects,
  central_plugins_to_uninstall: Objects,
  recursive_dependencies: Nullable(Objects),
  schedules_to_create: Nullable(Type.Unknown()),
  schedules_to_delete: Nullable(Type.Unknown()),
  labels_to_create: Nullable(Objects),
  /** What happens to instances that stay: `{id, node_id, change: update | reinstall, because}`. */
  instance_changes: Nullable(Objects),
  ...ownerFields,
})
export type DeploymentUpdate = Static<typeof DeploymentUpdate>

export const deploymentUpdateFields = fieldTable(DeploymentUpdate)
