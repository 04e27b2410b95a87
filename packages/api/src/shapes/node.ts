import { type Static, Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { JsonObject, Nullable, ownerFields, Shape } from './common.ts'

/** docs/reference/nodes-and-instances.md, "Nodes". */
export const Node = Shape('Node', {
  id: Type.String(),
  deployment_id: Type.String(),
  deployment_display_name: Nullable(Type.String()),
  blueprint_id: Nullable(Type.String()),
  type: Type.String(),
  type_hierarchy: Type.Array(Type.String()),
  host_id: Nullable(Type.String()),
  properties: JsonObject,
  operations: JsonObject,
  plugins: Type.Array(JsonObject),
  plugins_to_install: Nullable(Type.Array(JsonObject)),
  relationships: Type.Array(JsonObject),
  number_of_instances: Type.Integer(),
  planned_number_of_instances: Type.Integer(),
  actual_number_of_instances: Type.Integer(),
  actual_planned_number_of_instances: Type.Integer(),
  deploy_number_of_instances: Type.Integer(),
  min_number_of_instances: Type.Integer(),
  max_number_of_instances: Type.Integer(),
  drifted_instances: Type.Integer(),
  unavailable_instances: Type.Integer(),
  ...ownerFields,
})
export type Node = Static<typeof Node>

export const nodeFields = fieldTable(Node, { extraFilters: { deployment_group_id: 'string' } })
