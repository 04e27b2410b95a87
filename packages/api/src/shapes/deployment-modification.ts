import { type Static, Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { JsonObject, Nullable, ownerFields, Shape, Timestamp } from './common.ts'

const Instances = Type.Array(JsonObject)

/** docs/reference/deployment-modifications.md */
export const DeploymentModification = Shape('DeploymentModification', {
  id: Type.String(),
  deployment_id: Type.String(),
  /** started, finished or rolledback */
  status: Type.String(),
  /** As the request had them. */
  modified_nodes: JsonObject,
  node_instances: Type.Object({
    before_modification: Instances,
    added_and_related: Instances,
    removed_and_related: Instances,
    extended_and_related: Instances,
    reduced_and_related: Instances,
    /** Once it is rolled back. */
    before_rollback: Type.Optional(Instances),
  }),
  context: Type.Unknown(),
  ended_at: Nullable(Timestamp),
  ...ownerFields,
})
export type DeploymentModification = Static<typeof DeploymentModification>

export const deploymentModificationFields = fieldTable(DeploymentModification)
