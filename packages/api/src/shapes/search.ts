import { type Static, Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { JsonObject, Nullable, Shape } from './common.ts'

/** What is found within deployments, or within a blueprint's plan; then there is no deployment. */
const place = {
  deployment_id: Nullable(Type.String()),
  blueprint_id: Nullable(Type.String()),
  tenant_name: Type.String(),
}

export const NodeType = Shape('NodeType', { type: Type.String(), ...place })
export type NodeType = Static<typeof NodeType>
export const nodeTypeFields = fieldTable(NodeType)

export const ScalingGroup = Shape('ScalingGroup', {
  name: Type.String(),
  members: Type.Array(Type.String()),
  properties: JsonObject,
  ...place,
})
export type ScalingGroup = Static<typeof ScalingGroup>
export const scalingGroupFields = fieldTable(ScalingGroup)

/** The declared capabilities of one deployment or blueprint, unevaluated, by their names. */
export const DeclaredCapabilities = Shape('DeclaredCapabilities', { capabilities: JsonObject, ...place })
export type DeclaredCapabilities = Static<typeof DeclaredCapabilities>
export const declaredCapabilityFields = fieldTable(DeclaredCapabilities)
