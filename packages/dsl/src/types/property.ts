import { logicError } from '../diagnostic.ts'
import type { Build, Definitions } from '../language/build.ts'
import { anything, boolean, type Field, optional, type Shape, text, typeOf } from '../language/shape.ts'
import { nearest } from '../language/suggest.ts'
import { checkSince } from '../language/version.ts'
import { given, givenText, isNull, mapLike, nodePlace, type YamlEntry, type YamlMap } from '../yaml/node.ts'
import { completeValue } from './complete.ts'
import type { DataType, Properties, Property } from './model.ts'
import { PRIMITIVE_TYPES } from './primitive.ts'

/** Fields of every property schema (docs/reference/language/types.md, "Property schemas"). */
export const propertyFields: { readonly [key: string]: Field } = {
  type: optional(typeOf),
  default: optional(anything),
  description: optional(text),
  required: optional(boolean, [1, 2]),
}

export const propertySchema: Shape = { kind: 'map', of: { kind: 'record', fields: propertyFields } }

/** One property of a type. */
export type PropertyOwner = {
  readonly build: Build
  readonly dataTypes: Definitions<DataType>
  /** Path of the schema, e.g. `node_types.db.properties`. */
  readonly path: string
  /** How messages name the owner, e.g. `type db`. */
  readonly label: string
}

/**
 * The properties that a schema declares, over those of the parent (docs/reference/language/types.md, "Defaults" and
 * "Data types").
 */
export function readProperties(
  owner: PropertyOwner,
  schema: YamlMap | undefined,
  inherited: Properties,
): Properties {
  const properties = new Map<string, Property>()
  for (const [name, entry] of schema?.entries ?? []) {
    properties.set(name, readProperty(owner, name, entry, inherited.get(name)))
  }
  for (const [name, property] of inherited) if (!properties.has(name)) properties.set(name, property)
  return properties
}

function readProperty(
  owner: PropertyOwner,
  name: string,
  entry: YamlEntry,
  parent: Property | undefined,
): Property {
  const written = asMap(entry)
  const type = givenText(written, 'type') ?? null
  checkTypeName(owner, type, written, `${owner.path}.${name}.type`)
  const own = written.entries.get('default')?.value
  const inheritedDefault =
    parent !== undefined && type !== null && parent.type === type ? parent.fallback : undefined
  const isData = type !== null && owner.dataTypes.has(type)
  return {
    name,
    written,
    type,
    required: requiredOf(written),
    fallback:
      isData || own !== undefined
        ? completeValue(
            {
              dataTypes: owner.dataTypes,
              label: owner.label,
              path: `${owner.path}.${name}.default`,
              partial: true,
            },
            name,
            type,
            isData && isNull(own) ? undefined : own,
            isData ? inheritedDefault : undefined,
          )
        : undefined,
  }
}

/** A schema entry; null means `{}`. */
export function asMap(entry: YamlEntry): YamlMap {
  return entry.value.kind === 'map' ? entry.value : mapLike(entry.key, [])
}

export function requiredOf(written: YamlMap): boolean {
  const required = given(written, 'required')
  return !(required?.kind === 'scalar' && required.value === false)
}

/**
 * A type's name must be primitive (and old enough) or a data type's (docs/reference/language/types.md, "Primitive
 * types").
 */
export function checkTypeName(
  owner: PropertyOwner,
  type: string | null,
  written: YamlMap,
  path: string,
): void {
  if (type === null || owner.dataTypes.has(type)) return
  const node = given(written, 'type')
  const place = node === undefined ? null : nodePlace(node)
  const since = Object.hasOwn(PRIMITIVE_TYPES, type) ? PRIMITIVE_TYPES[type] : undefined
  if (since === undefined) {
    const names = [...Object.keys(PRIMITIVE_TYPES), ...owner.dataTypes.names()]
    throw logicError(103, `Illegal type name '${type}'.`, {
      place,
      path,
      value: type,
      expected: 'a primitive type or the name of a data type',
      suggestion: nearest(type, names),
    })
  }
  checkSince(`type '${type}'`, since, owner.build.gates, { place, path, value: type })
}

/** A schema as the plan shows it: what the author wrote, with the completed default. */
export function writtenWithDefault(property: Property): YamlMap {
  const entries = new Map<string, YamlEntry>()
  for (const [key, entry] of property.written.entries) {
    if (key !== 'default' && !isNull(entry.value)) entries.set(key, entry)
  }
  const { fallback } = property
  if (fallback !== undefined) {
    const key = property.written.entries.get('default')?.key
    entries.set('default', { key: key ?? keyLike(property.written), value: fallback })
  }
  return mapLike(property.written, entries)
}

function keyLike(node: YamlMap): YamlEntry['key'] {
  return { kind: 'scalar', type: 'string', value: 'default', source: node.source, offset: node.offset }
}

export function schemaNode(at: YamlMap, properties: Properties): YamlMap {
  return mapLike(
    at,
    [...properties].map(([name, property]): [string, YamlEntry] => [
      name,
      { key: keyLike(property.written), value: writtenWithDefault(property) },
    ]),
  )
}
