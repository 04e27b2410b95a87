import { type Static, Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { Nullable, ownerFields, Shape } from './common.ts'

/** An inter-deployment dependency (docs/reference/environments-and-dependencies.md, "Dependencies"). */
export const Dependency = Shape('InterDeploymentDependency', {
  id: Type.String(),
  dependency_creator: Type.String(),
  source_deployment_id: Nullable(Type.String()),
  /** null while the function is not evaluated, and when the target is in another manager. */
  target_deployment_id: Nullable(Type.String()),
  target_deployment_func: Type.Unknown(),
  external_source: Type.Unknown(),
  external_target: Type.Unknown(),
  ...ownerFields,
})
export type Dependency = Static<typeof Dependency>

export const dependencyFields = fieldTable(Dependency)
