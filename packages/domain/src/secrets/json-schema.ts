import { Check, Errors } from 'typebox/schema'

/** Checks by JSON schemas, as the thread does them: a schema of a user's may take any time. */
export type SchemaTask =
  | { readonly kind: 'schema'; readonly schema: JsonSchema }
  | { readonly kind: 'value'; readonly schema: JsonSchema; readonly value: unknown }

/** `text`: the value as JSON text, empty where there was none to check. */
export type SchemaOutcome =
  | { readonly kind: 'fits'; readonly text: string }
  | { readonly kind: 'bad schema'; readonly why: string }
  | { readonly kind: 'bad value'; readonly why: string }

export type JsonSchema = Readonly<Record<string, unknown>>

const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']

export function checkBySchema(task: SchemaTask): SchemaOutcome {
  try {
    if (task.kind === 'value') return fitted(task.value, task.schema)
    const why = problemOf(task.schema, 'schema', 0)
    if (why !== undefined) return { kind: 'bad schema', why }
    for (const sample of [null, '', 0, {}, []]) Check(task.schema, sample)
    return { kind: 'fits', text: '' }
  } catch (error) {
    // A pattern that is none, a reference that leads nowhere, or one that leads to itself.
    return { kind: 'bad schema', why: error instanceof Error ? error.message : String(error) }
  }
}

/** A text is taken for JSON, or where that does not fit for itself. */
function fitted(value: unknown, schema: JsonSchema): SchemaOutcome {
  const parsed = typeof value === 'string' ? parsedOf(value) : value
  for (const candidate of parsed === undefined ? [value] : [parsed, value]) {
    if (Check(schema, candidate)) return { kind: 'fits', text: JSON.stringify(candidate) }
  }
  const [, [error]] = Errors(schema, parsed ?? value)
  // Never the value itself: it is a secret.
  return {
    kind: 'bad value',
    why: error === undefined ? '' : `${error.instancePath || '/'} ${error.message}`,
  }
}

function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // No JSON: the text is the value.
    return undefined
  }
}

/** The validator passes over what it does not understand; what is not a schema at all is better said at once. */
function problemOf(schema: unknown, path: string, depth: number): string | undefined {
  const wrong = (what: string) => `${path} ${what}`
  if (typeof schema === 'boolean' && depth > 0) return undefined
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return wrong('is no schema')
  const { type, required, properties, items } = schema as JsonSchema
  const named = type === undefined ? [] : Array.isArray(type) ? type : [type]
  if (!named.every((one) => types.includes(one))) return wrong(`has the unknown type ${JSON.stringify(type)}`)
  if (
    required !== undefined &&
    !(Array.isArray(required) && required.every((one) => typeof one === 'string'))
  )
    return wrong('has a `required` that is no list of names')
  if (properties !== undefined) {
    if (typeof properties !== 'object' || properties === null || Array.isArray(properties))
      return wrong('has `properties` that are no object')
    for (const [name, part] of Object.entries(properties)) {
      const why = problemOf(part, `${path}.${name}`, depth + 1)
      if (why !== undefined) return why
    }
  }
  if (items !== undefined)
    for (const part of Array.isArray(items) ? items : [items]) {
      const why = problemOf(part, `${path}.items`, depth + 1)
      if (why !== undefined) return why
    }
  return undefined
}
