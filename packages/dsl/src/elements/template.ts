import type { Definitions } from '../language/build.ts'
import type { ScalableProperties } from '../plan/plan.ts'
import type { DataType } from '../types/model.ts'
import type { YamlMap } from '../yaml/node.ts'
import type { NodeType } from './node-type.ts'
import type { Interfaces } from './operation.ts'
import type { MergedInterfaces } from './plan-operation.ts'
import type { RelationshipType } from './relationship-type.ts'

export type NodeTemplate = {
  readonly name: string
  readonly written: YamlMap
  readonly type: NodeType
  readonly properties: YamlMap
  /**
   * As the author wrote them, for relationships that look into the template (docs/reference/language/nodes.md,
   * "Relationships").
   */
  readonly ownInterfaces: Interfaces
  readonly interfaces: MergedInterfaces
  readonly relationships: readonly Relationship[]
  readonly deploy: number | null
  readonly scalable: ScalableProperties
  readonly isHost: boolean
}

export type TemplateTypes = {
  readonly dataTypes: Definitions<DataType>
  readonly nodeTypes: Definitions<NodeType>
  readonly relationshipTypes: Definitions<RelationshipType>
}

export type Relationship = {
  readonly written: YamlMap
  readonly path: string
  readonly type: RelationshipType
  readonly target: string
  readonly properties: YamlMap
  readonly sourceInterfaces: MergedInterfaces
  readonly targetInterfaces: MergedInterfaces
}
