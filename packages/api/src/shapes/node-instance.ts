import { type Static, Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { JsonObject, Nullable, ownerFields, Shape } from './common.ts'

export const InstanceRelationship = Shape('InstanceRelationship', {
  type: Type.String(),
  target_name: Type.String(),
  target_id: Type.String(),
})

/** docs/reference/nodes-and-instances.md, "Node instances". */
export const NodeInstance = Shape('NodeInstance', {
  id: Type.String(),
  node_id: Type.String(),
  deployment_id: Type.String(),
  host_id: Nullable(Type.String()),
  index: Type.Integer(),
  state: Type.String(),
  /** Counts effective changes; a PATCH must name the one it was based on. */
  version: Type.Integer(),
  runtime_properties: Nullable(JsonObject),
  system_properties: Nullable(JsonObject),
  relationships: Type.Array(InstanceRelationship),
  scaling_groups: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  has_configuration_drift: Type.Boolean(),
  is_status_check_ok: Type.Boolean(),
  ...ownerFields,
})
export type NodeInstance = Static<typeof NodeInstance>

export const nodeInstanceFields = fieldTable(NodeInstance, {
  extraFilters: { deployment_group_id: 'string' },
})
