import { formatError, logicError } from '../diagnostic.ts'
import { attempt, type Build, type Definitions, definitionsOf } from '../language/build.ts'
import { definitions, nameOf, optional, record, text } from '../language/shape.ts'
import { nearest } from '../language/suggest.ts'
import type { PlanDataType } from '../plan/plan.ts'
import { given, givenMap, givenText, nodePlace, textOrNull, toJson, type YamlMap } from '../yaml/node.ts'
import type { DataType, Properties } from './model.ts'
import { isPrimitive } from './primitive.ts'
import { propertySchema, readProperties, schemaNode } from './property.ts'

/** `data_types` (docs/reference/language/types.md, "Data types") */
export const dataTypesShape = definitions(
  record({
    properties: optional(propertySchema),
    derived_from: optional(nameOf),
    description: optional(text),
    version: optional(text),
  }),
)

/** Data types within data types multiply; a value with that many members is a mistake. */
const MOST_MEMBERS = 10_000

export function dataTypesOf(build: Build): Definitions<DataType> {
  const types: Definitions<DataType> = definitionsOf(
    build,
    'data_types',
    (name, written) => readDataType(build, types, name, written),
    (names) =>
      logicError(100, `Circular dependency of data types: ${names.join(' --> ')}.`, {
        path: `data_types.${names[0]}`,
      }),
  )
  return types
}

function readDataType(build: Build, types: Definitions<DataType>, name: string, written: YamlMap): DataType {
  const path = `data_types.${name}`
  if (isPrimitive(name)) {
    throw logicError(104, `Can't redefine the primitive type '${name}'.`, { place: nodePlace(written), path })
  }
  const parent = givenText(written, 'derived_from')
  if (parent !== undefined && !types.has(parent)) {
    const node = given(written, 'derived_from')
    throw logicError(103, `Missing definition for data type '${parent}', which is the parent of '${name}'.`, {
      place: node === undefined ? null : nodePlace(node),
      path: `${path}.derived_from`,
      value: parent,
      suggestion: nearest(parent, types.names()),
    })
  }
  const inherited: Properties = parent === undefined ? new Map() : types.get(parent).properties
  const owner = {
    build,
    dataTypes: types,
    path: `${path}.properties`,
    label: `default value of type ${name}`,
  }
  const properties = readProperties(owner, givenMap(written, 'properties'), inherited)
  let size = 1
  for (const { type } of properties.values())
    size += type !== null && types.has(type) ? types.get(type).size : 1
  if (size > MOST_MEMBERS) {
    throw formatError(
      1,
      `The data type '${name}' has more than ${MOST_MEMBERS} members, nested ones counted.`,
      {
        place: nodePlace(written),
        path,
      },
    )
  }
  return { name, written, properties, size }
}

export function planDataTypes(
  build: Build,
  types: Definitions<DataType>,
): { readonly [name: string]: PlanDataType } {
  const plan: { [name: string]: PlanDataType } = {}
  for (const name of types.names()) {
    attempt(build, () => {
      const { written, properties } = types.get(name)
      plan[name] = {
        properties: toJson(schemaNode(written, properties), build.conversion) as PlanDataType['properties'],
        description: textOrNull(written, 'description'),
        derived_from: textOrNull(written, 'derived_from'),
        version: textOrNull(written, 'version'),
      }
    })
  }
  return plan
}
