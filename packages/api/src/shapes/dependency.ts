import { type Static, Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { JsonObject, Nullable, ownerFields, Shape } from './common.ts'

/** spec/rest-spec-a.md 2.6, spec/rest-facts-a.md 10. */
export const Dependency = Shape('InterDeploymentDependency', {
  id: Type.String(),
  dependency_creator: Type.String(),
  source_deployment_id: Nullable(Type.String()),
  target_deployment_id: Nullable(Type.String()),
  target_deployment_func: Nullable(Type.Unknown()),
  external_source: Nullable(JsonObject),
  external_target: Nullable(JsonObject),
  ...ownerFields,
})
export type Dependency = Static<typeof Dependency>

export const dependencyFields = fieldTable(Dependency)
