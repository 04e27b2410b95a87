import { type Static, Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { JsonObject, Nullable, ownerFields, Shape } from './common.ts'
import { Label } from './label.ts'

/** docs/reference/groups.md, "Deployment groups". */
export const DeploymentGroup = Shape('DeploymentGroup', {
  id: Type.String(),
  description: Nullable(Type.String()),
  default_blueprint_id: Nullable(Type.String()),
  default_inputs: Nullable(JsonObject),
  /** Those that the caller may see. */
  deployment_ids: Type.Array(Type.String()),
  labels: Type.Array(Label),
  creation_counter: Type.Integer(),
  ...ownerFields,
})
export type DeploymentGroup = Static<typeof DeploymentGroup>

export const deploymentGroupFields = fieldTable(DeploymentGroup, { sortsByLabel: true })
