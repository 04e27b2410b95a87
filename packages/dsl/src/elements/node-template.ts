import { formatError, logicError } from '../diagnostic.ts'
import { attempt, type Build, section } from '../language/build.ts'
import {
  anything,
  definitions,
  integer,
  list,
  map,
  nameOf,
  optional,
  record,
  required,
} from '../language/shape.ts'
import { nearest } from '../language/suggest.ts'
import { summary } from '../language/summary.ts'
import { completeValues } from '../types/complete.ts'
import { given, givenMap, givenText, mapLike, nodePlace, type YamlMap, type YamlNode } from '../yaml/node.ts'
import type { NodeType } from './node-type.ts'
import { readInterfaces, templateInterfaces } from './operation.ts'
import { mergedInterfaces } from './plan-operation.ts'
import { readRelationships } from './relationship.ts'
import { fixedInstances, scalableProperties, scalableShape } from './scalable.ts'
import type { NodeTemplate, TemplateTypes } from './template.ts'

/** `node_templates` (docs/reference/language/nodes.md, "Node templates") */
export const nodeTemplatesShape = definitions(
  record({
    type: required(nameOf),
    instances: optional(record({ deploy: required(integer) })),
    capabilities: optional(
      record({ scalable: optional(record({ properties: optional(scalableShape) })) }),
      [1, 3],
    ),
    interfaces: optional(templateInterfaces),
    relationships: optional(
      list(
        record({
          type: required(nameOf),
          target: required(nameOf),
          properties: optional(map(anything)),
          source_interfaces: optional(templateInterfaces),
          target_interfaces: optional(templateInterfaces),
        }),
      ),
    ),
    properties: optional(map(anything)),
  }),
)

/** All node templates that are right, in the order of the document. */
export function readNodeTemplates(build: Build, types: TemplateTypes): ReadonlyMap<string, NodeTemplate> {
  const templates = new Map<string, NodeTemplate>()
  for (const [name, { value }] of section(build, 'node_templates')?.entries ?? []) {
    if (value.kind !== 'map' || build.problems.broken.has(`node_templates.${name}`)) continue
    attempt(build, () => {
      templates.set(name, readNodeTemplate(build, types, name, value))
    })
  }
  return templates
}

function readNodeTemplate(build: Build, types: TemplateTypes, name: string, written: YamlMap): NodeTemplate {
  const path = `node_templates.${name}`
  const type = typeOfTemplate(types, path, written)
  const ownInterfaces = readInterfaces(givenMap(written, 'interfaces'), `${path}.interfaces`)
  const deploy = deployOf(written, path)
  const capabilities = givenMap(written, 'capabilities')
  if (deploy !== null && capabilities !== undefined) {
    throw logicError(209, `The node '${name}' has both instances.deploy and capabilities.scalable.`, {
      place: nodePlace(capabilities),
      path: `${path}.capabilities`,
      expected: 'capabilities.scalable alone',
    })
  }
  const scalable = givenMap(givenMap(capabilities, 'scalable'), 'properties')
  return {
    name,
    written,
    type,
    properties: completeProperties(types, name, path, type, written),
    ownInterfaces,
    interfaces: mergedInterfaces(build, type.interfaces, ownInterfaces),
    relationships: readRelationships(build, types, name, path, written),
    deploy,
    scalable:
      deploy === null
        ? scalableProperties(build, scalable, `${path}.capabilities.scalable.properties`)
        : fixedInstances(deploy),
    isHost: type.hierarchy.some((ancestor) => ancestor.includes('cloudify.nodes.Compute')),
  }
}

function typeOfTemplate(types: TemplateTypes, path: string, written: YamlMap): NodeType {
  const type = givenText(written, 'type') ?? ''
  if (types.nodeTypes.has(type)) return types.nodeTypes.get(type)
  throw logicError(7, `Could not find the node type '${type}'.`, {
    place: placeOfField(written, 'type'),
    path: `${path}.type`,
    value: type,
    expected: 'a node type of the blueprint or its imports',
    suggestion: nearest(type, types.nodeTypes.names()),
  })
}

function placeOfField(written: YamlMap, key: string): ReturnType<typeof nodePlace> {
  return nodePlace(given(written, key) ?? written)
}

function completeProperties(
  types: TemplateTypes,
  name: string,
  path: string,
  type: NodeType,
  written: YamlMap,
): YamlMap {
  const values = givenMap(written, 'properties')
  return completeValues(
    {
      dataTypes: types.dataTypes,
      label: `node '${name}'`,
      path: `${path}.properties`,
      partial: false,
      missing: (dotted) =>
        `The node '${name}' does not provide a value for the mandatory property '${dotted}' of its type.`,
      undefinedName: (dotted) => `The node '${name}' has a property '${dotted}' that its type does not know.`,
    },
    values ?? mapLike(written, []),
    values,
    type.properties,
    '',
  )
}

function deployOf(written: YamlMap, path: string): number | null {
  const deploy: YamlNode | undefined = given(givenMap(written, 'instances'), 'deploy')
  if (deploy?.kind !== 'scalar' || typeof deploy.value !== 'number') return null
  if (deploy.value >= 0) return deploy.value
  throw formatError(1, `instances.deploy is ${deploy.value}, but should be zero or more.`, {
    place: nodePlace(deploy),
    path: `${path}.instances.deploy`,
    value: summary(deploy),
  })
}
