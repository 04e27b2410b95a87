import { IsArray, IsObject, IsOptional, IsString, IsUnion, type TObject, type TSchema, Type } from 'typebox'
import type { FieldTable } from '../list/field-table.ts'
import { ListAnswer } from '../list/list-answer.ts'

/** Resources know tenants and owners from v3 on (docs/reference/rest-conventions.md, "Versions"). */
const sinceV3 = ['tenant_name', 'created_by', 'private_resource', 'visibility', 'resource_availability']

/** The fields of resources that came after a version without tenants. */
export const newerFields = {
  v2: new Set([...sinceV3, 'scaling_groups']),
  'v2.1': new Set(sinceV3),
} as const satisfies Record<string, ReadonlySet<string>>

type Newer = ReadonlySet<string>

const isResource = (schema: TObject) => 'tenant_name' in schema.properties

/** The shape as v2 has it. */
export function v2Shape(schema: TSchema, newer: Newer): TSchema {
  if (isTimestamp(schema)) return Type.String({ description: '2015-11-11 13:11:40.324698, UTC' })
  if (IsUnion(schema)) return Type.Union(schema.anyOf.map((one) => v2Shape(one, newer)))
  if (IsArray(schema)) return Type.Array(v2Shape(schema.items, newer))
  if (!IsObject(schema)) return schema
  const kept = Object.entries(schema.properties).filter(([name]) => !(isResource(schema) && newer.has(name)))
  const title = 'title' in schema && typeof schema.title === 'string' ? { title: schema.title } : {}
  return Type.Object(
    Object.fromEntries(
      kept.map(([name, field]) => {
        const shape = v2Shape(field, newer)
        return [name, IsOptional(field) ? Type.Optional(shape) : shape]
      }),
    ),
    title,
  )
}

/** A value of the shape as v2 has it. Fields that the shape does not name pass as they are. */
export function v2Value(schema: TSchema, value: unknown, newer: Newer): unknown {
  if (value === null || value === undefined) return value
  if (isTimestamp(schema)) return typeof value === 'string' ? v2Time(value) : value
  if (IsUnion(schema)) {
    const [first] = schema.anyOf
    return first === undefined ? value : v2Value(first, value, newer)
  }
  if (IsArray(schema))
    return Array.isArray(value) ? value.map((item) => v2Value(schema.items, item, newer)) : value
  if (!IsObject(schema) || typeof value !== 'object') return value
  if (value instanceof ListAnswer) {
    const { items } = schema.properties
    return items !== undefined && IsArray(items)
      ? value.map((item) => v2Value(items.items, item, newer))
      : value
  }
  const drops = isResource(schema)
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !(drops && newer.has(name)))
      .map(([name, field]) => {
        const inner = schema.properties[name]
        return [name, inner === undefined ? field : v2Value(inner, field, newer)]
      }),
  )
}

/** The fields that a list of v2 is asked with. */
export function v2Fields(table: FieldTable, newer: Newer): FieldTable {
  if (!('tenant_name' in table.fields)) return table
  return {
    ...table,
    fields: Object.fromEntries(Object.entries(table.fields).filter(([name]) => !newer.has(name))),
  }
}

function isTimestamp(schema: TSchema): boolean {
  return IsString(schema) && 'format' in schema && schema.format === 'date-time'
}

/** `2015-11-11T13:11:40.324Z` → `2015-11-11 13:11:40.324000` */
export function v2Time(text: string): string {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.(\d{3})Z$/.exec(text)
  return match === null ? text : `${match[1]} ${match[2]}.${match[3]}000`
}
