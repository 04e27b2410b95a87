import { logicError } from '../diagnostic.ts'
import { type Build, section } from '../language/build.ts'
import { nearest } from '../language/suggest.ts'
import { completeValues } from '../types/complete.ts'
import {
  given,
  givenItems,
  givenMap,
  givenText,
  mapLike,
  nodePlace,
  textOf,
  type YamlMap,
} from '../yaml/node.ts'
import { readInterfaces } from './operation.ts'
import { mergedInterfaces } from './plan-operation.ts'
import type { NodeTemplate, Relationship, TemplateTypes } from './template.ts'

export const CONTAINED_IN = 'cloudify.relationships.contained_in'
const LIFECYCLE_OPERATION = 'cloudify.relationships.depends_on_lifecycle_operation'

/** One relationship of a node template (docs/reference/language/nodes.md, "Relationships"). */
export function isContainedIn(hierarchy: readonly string[]): boolean {
  return hierarchy.includes(CONTAINED_IN)
}

export function readRelationships(
  build: Build,
  types: TemplateTypes,
  node: string,
  path: string,
  written: YamlMap,
): readonly Relationship[] {
  const relationships: Relationship[] = []
  givenItems(written, 'relationships').forEach((item, index) => {
    if (item.kind === 'map') {
      relationships.push(readRelationship(build, types, node, `${path}.relationships.${index}`, item))
    }
  })
  const containers = relationships.filter(({ type }) => isContainedIn(type.hierarchy))
  const [, second] = containers
  if (second !== undefined) {
    throw logicError(
      112,
      `The node '${node}' is contained in more than one node: ${containers.map((c) => c.target).join(', ')}.`,
      {
        place: nodePlace(second.written),
        path: second.path,
      },
    )
  }
  return relationships
}

function readRelationship(
  build: Build,
  types: TemplateTypes,
  node: string,
  path: string,
  written: YamlMap,
): Relationship {
  const typeName = givenText(written, 'type') ?? ''
  if (!types.relationshipTypes.has(typeName)) {
    throw logicError(26, `The node '${node}' has a relationship of the undefined type '${typeName}'.`, {
      place: nodePlace(given(written, 'type') ?? written),
      path: `${path}.type`,
      value: typeName,
      suggestion: nearest(typeName, types.relationshipTypes.names()),
    })
  }
  const target = givenText(written, 'target') ?? ''
  checkTarget(build, node, path, written, target)
  const type = types.relationshipTypes.get(typeName)
  const values = givenMap(written, 'properties')
  const source = readInterfaces(givenMap(written, 'source_interfaces'), `${path}.source_interfaces`)
  const targets = readInterfaces(givenMap(written, 'target_interfaces'), `${path}.target_interfaces`)
  return {
    written,
    path,
    type,
    target,
    properties: completeValues(
      {
        dataTypes: types.dataTypes,
        label: `relationship of node '${node}'`,
        path: `${path}.properties`,
        partial: false,
        missing: (dotted) =>
          typeName === LIFECYCLE_OPERATION && dotted === 'operation'
            ? `The relationship of node '${node}' needs the property 'operation'.`
            : `The relationship of node '${node}' to '${target}' does not provide the mandatory property '${dotted}'.`,
      },
      values ?? mapLike(written, []),
      values,
      type.properties,
      '',
    ),
    sourceInterfaces: mergedInterfaces(build, type.sourceInterfaces, source),
    targetInterfaces: mergedInterfaces(build, type.targetInterfaces, targets),
  }
}

function checkTarget(build: Build, node: string, path: string, written: YamlMap, target: string): void {
  const templates = section(build, 'node_templates')?.entries
  const isKnown = templates?.has(target) === true
  if (isKnown && target !== node) return
  const at = { place: nodePlace(given(written, 'target') ?? written), path: `${path}.target`, value: target }
  if (!isKnown) {
    throw logicError(25, `The node '${node}' has a relationship to the undefined node '${target}'.`, {
      ...at,
      suggestion: nearest(target, templates?.keys() ?? []),
    })
  }
  throw logicError(23, `The node '${node}' has a relationship to itself.`, at)
}

/**
 * `depends_on_lifecycle_operation` names an operation that the target template itself must declare
 * (docs/reference/language/nodes.md, "Relationships").
 */
export function checkLifecycleOperation(
  node: NodeTemplate,
  relationship: Relationship,
  templates: ReadonlyMap<string, NodeTemplate>,
): void {
  if (relationship.type.name !== LIFECYCLE_OPERATION) return
  const operation = textOf(relationship.properties.entries.get('operation')?.value)
  const at = { place: nodePlace(relationship.written), path: `${relationship.path}.properties` }
  if (operation === undefined) {
    throw logicError(215, `The relationship of node '${node.name}' needs the property 'operation'.`, at)
  }
  const target = templates.get(relationship.target)
  if (target === undefined) return
  if (target.ownInterfaces.get('cloudify.interfaces.lifecycle')?.has(operation) === true) return
  throw logicError(
    216,
    `Please define the operation '${operation}' in node '${target.name}', on which a relationship of '${node.name}' depends.`,
    at,
  )
}
