import { Type } from 'typebox'
import { JsonObject, Nullable } from './common.ts'

/**
 * What a blueprint or a deployment was made of elsewhere, as whoever restores it describes it. What is in it is theirs to
 * answer for; that it has the form of what answers and workflows read is checked, as a single document that has not would
 * make the lists fail that it is in.
 */
export const NamedObjects = Type.Record(Type.String(), JsonObject)

export const RecordedWorkflow = Type.Object({
  plugin: Type.Optional(Nullable(Type.String())),
  operation: Type.Optional(Nullable(Type.String())),
  parameters: Type.Optional(Nullable(NamedObjects)),
  is_cascading: Type.Optional(Nullable(Type.Boolean())),
  availability_rules: Type.Optional(
    Nullable(
      Type.Object({
        available: Type.Optional(Nullable(Type.Boolean())),
        node_instances_active: Type.Optional(Nullable(Type.Array(Type.String()))),
        node_types_required: Type.Optional(Nullable(Type.Array(Type.String()))),
      }),
    ),
  ),
})

const Plugins = Type.Optional(
  Nullable(
    Type.Array(
      Type.Object({
        name: Type.String(),
        package_name: Type.Optional(Nullable(Type.String())),
        package_version: Type.Optional(Nullable(Type.String())),
      }),
    ),
  ),
)
const named = Type.Optional(NamedObjects)

export const RecordedPlan = Type.Object({
  nodes: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
  inputs: named,
  outputs: named,
  capabilities: named,
  scaling_groups: named,
  workflows: Type.Optional(
    Type.Record(Type.String(), Type.Object({ plugin: Type.String(), operation: Type.String() })),
  ),
  deployment_plugins_to_install: Plugins,
  host_agent_plugins_to_install: Plugins,
  workflow_plugins_to_install: Plugins,
  imported_blueprints: Type.Optional(Nullable(Type.Array(Type.String()))),
})
