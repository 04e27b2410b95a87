import { logicError } from '../diagnostic.ts'
import { attempt, type Build, type Definitions, definitionsOf } from '../language/build.ts'
import { definitions, nameOf, optional, record } from '../language/shape.ts'
import { nearest } from '../language/suggest.ts'
import type { DataType, Properties } from '../types/model.ts'
import { propertySchema, readProperties } from '../types/property.ts'
import { given, givenMap, givenText, nodePlace, type YamlMap } from '../yaml/node.ts'
import { derivedInterfaces, type Interfaces, readInterfaces, typeInterfaces } from './operation.ts'
import { checkOperationSchemas } from './operation-schema.ts'

/** `node_types` (docs/reference/language/types.md, "Node types") */
export const nodeTypesShape = definitions(
  record({
    derived_from: optional(nameOf),
    properties: optional(propertySchema),
    runtime_properties: optional(propertySchema),
    interfaces: optional(typeInterfaces),
  }),
)

export type NodeType = {
  readonly name: string
  /** Root first, own name last. */
  readonly hierarchy: readonly string[]
  readonly properties: Properties
  readonly interfaces: Interfaces
}

export function nodeTypesOf(build: Build, dataTypes: Definitions<DataType>): Definitions<NodeType> {
  const types: Definitions<NodeType> = definitionsOf(
    build,
    'node_types',
    (name, written) => readNodeType(build, dataTypes, types, name, written),
    (names) =>
      logicError(100, `Circular dependency of node types: ${names.join(' --> ')}.`, {
        path: `node_types.${names[0]}`,
      }),
  )
  return types
}

function readNodeType(
  build: Build,
  dataTypes: Definitions<DataType>,
  types: Definitions<NodeType>,
  name: string,
  written: YamlMap,
): NodeType {
  const path = `node_types.${name}`
  const parent = parentOf(types, 'node type', path, name, written)
  const owner = { build, dataTypes, path: `${path}.properties`, label: `default value of type ${name}` }
  const own = readInterfaces(givenMap(written, 'interfaces'), `${path}.interfaces`)
  readProperties(
    { ...owner, path: `${path}.runtime_properties` },
    givenMap(written, 'runtime_properties'),
    new Map(),
  )
  return {
    name,
    hierarchy: [...(parent?.hierarchy ?? []), name],
    properties: readProperties(owner, givenMap(written, 'properties'), parent?.properties ?? new Map()),
    interfaces: derivedInterfaces(
      parent?.interfaces ?? new Map(),
      checkOperationSchemas(build, dataTypes, own),
    ),
  }
}

/** The type in `derived_from`, if any. */
export function parentOf<T>(
  types: Definitions<T>,
  kind: string,
  path: string,
  name: string,
  written: YamlMap,
): T | null {
  const parent = givenText(written, 'derived_from')
  if (parent === undefined) return null
  if (types.has(parent)) return types.get(parent)
  const node = given(written, 'derived_from')
  throw logicError(103, `Missing definition for ${kind} '${parent}', which is the parent of '${name}'.`, {
    place: node === undefined ? null : nodePlace(node),
    path: `${path}.derived_from`,
    value: parent,
    suggestion: nearest(parent, types.names()),
  })
}

/** Types are checked whether used or not. */
export function checkAll<T>(build: Build, types: Definitions<T>): void {
  for (const name of types.names()) attempt(build, () => types.get(name))
}
