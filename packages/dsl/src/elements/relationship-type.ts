import { logicError } from '../diagnostic.ts'
import { attempt, type Build, type Definitions, definitionsOf } from '../language/build.ts'
import { definitions, nameOf, optional, record } from '../language/shape.ts'
import type { PlanPlugin, PlanRelationshipType } from '../plan/plan.ts'
import type { DataType, Properties } from '../types/model.ts'
import { propertySchema, readProperties, schemaNode } from '../types/property.ts'
import { givenMap, givenText, mapLike, nodePlace, toJson, type YamlMap } from '../yaml/node.ts'
import { resolveImplementation } from './implementation.ts'
import { parentOf } from './node-type.ts'
import { derivedInterfaces, type Interfaces, readInterfaces, typeInterfaces } from './operation.ts'
import { checkOperationSchemas } from './operation-schema.ts'
import { planInterfaces, refuseOwnScript } from './plan-operation.ts'

/** `relationships` (docs/reference/language/types.md, "Relationship types") */
export const relationshipTypesShape = definitions(
  record({
    derived_from: optional(nameOf),
    properties: optional(propertySchema),
    source_interfaces: optional(typeInterfaces),
    target_interfaces: optional(typeInterfaces),
  }),
)

export type RelationshipType = {
  readonly name: string
  readonly written: YamlMap
  readonly derivedFrom: string | null
  readonly hierarchy: readonly string[]
  readonly properties: Properties
  readonly sourceInterfaces: Interfaces
  readonly targetInterfaces: Interfaces
}

export function relationshipTypesOf(
  build: Build,
  dataTypes: Definitions<DataType>,
  plugins: Definitions<PlanPlugin>,
): Definitions<RelationshipType> {
  const types: Definitions<RelationshipType> = definitionsOf(
    build,
    'relationships',
    (name, written) => readRelationshipType(build, dataTypes, plugins, types, name, written),
    (names) =>
      logicError(100, `Circular dependency of relationship types: ${names.join(' --> ')}.`, {
        path: `relationships.${names[0]}`,
      }),
  )
  return types
}

function readRelationshipType(
  build: Build,
  dataTypes: Definitions<DataType>,
  plugins: Definitions<PlanPlugin>,
  types: Definitions<RelationshipType>,
  name: string,
  written: YamlMap,
): RelationshipType {
  const path = `relationships.${name}`
  const parent = parentOf(types, 'relationship type', path, name, written)
  const owner = { build, dataTypes, path: `${path}.properties`, label: `default value of type ${name}` }
  const interfaces = (key: 'source_interfaces' | 'target_interfaces'): Interfaces => {
    const own = readInterfaces(givenMap(written, key), `${path}.${key}`)
    checkImplementations(build, plugins, name, own)
    return checkOperationSchemas(build, dataTypes, own)
  }
  return {
    name,
    written,
    derivedFrom: givenText(written, 'derived_from') ?? null,
    hierarchy: [...(parent?.hierarchy ?? []), name],
    properties: readProperties(owner, givenMap(written, 'properties'), parent?.properties ?? new Map()),
    sourceInterfaces: derivedInterfaces(
      parent?.sourceInterfaces ?? new Map(),
      interfaces('source_interfaces'),
    ),
    targetInterfaces: derivedInterfaces(
      parent?.targetInterfaces ?? new Map(),
      interfaces('target_interfaces'),
    ),
  }
}

/**
 * Operations of relationship types are checked whether used or not (docs/reference/language/types.md, "Relationship
 * types").
 */
function checkImplementations(
  build: Build,
  plugins: Definitions<PlanPlugin>,
  name: string,
  interfaces: Interfaces,
): void {
  for (const operations of interfaces.values()) {
    for (const operation of operations.values()) {
      const owner = {
        build,
        plugins: plugins.names(),
        notFoundCode: 19,
        label: `relationship type '${name}', operation '${operation.path}'`,
        place: nodePlace(operation.node),
        path: operation.path,
      } as const
      const implementation = resolveImplementation(owner, operation.implementation)
      if (implementation.kind === 'script' || implementation.kind === 'inline') {
        refuseOwnScript(operation.inputs, owner)
      }
    }
  }
}

export function planRelationshipTypes(
  build: Build,
  types: Definitions<RelationshipType>,
): { readonly [name: string]: PlanRelationshipType } {
  const plan: { [name: string]: PlanRelationshipType } = {}
  for (const name of types.names()) {
    attempt(build, () => {
      const type = types.get(name)
      plan[name] = {
        name,
        ...(type.derivedFrom === null ? {} : { derived_from: type.derivedFrom }),
        type_hierarchy: type.hierarchy,
        properties: toJson(
          schemaNode(mapLike(type.written, []), type.properties),
          build.conversion,
        ) as PlanRelationshipType['properties'],
        source_interfaces: planInterfaces(build, type.sourceInterfaces),
        target_interfaces: planInterfaces(build, type.targetInterfaces),
      }
    })
  }
  return plan
}
