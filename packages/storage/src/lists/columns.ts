import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database.ts'
import type { Column, ListedResource, Scope } from './resource.ts'

/** The SQL of a field. */
export function columnOf(resource: ListedResource, name: string, scope: Scope): RawBuilder<unknown> {
  const field = resource.fields[name]
  if (field === undefined) throw new Error(`${resource.model} has no field ${name} in its list definition`)
  return inScope(field.column, scope)
}

const inScope = (column: Column, scope: Scope) => (typeof column === 'function' ? column(scope) : column)

/** `COLUMN as NAME` for each of the fields, and for what they need besides. */
export const listOf = (resource: ListedResource, names: readonly string[], scope: Scope) =>
  named(columnsOf(resource, names).map(([name, column]) => [name, inScope(column, scope)]))

function columnsOf(
  { fields }: ListedResource,
  names: readonly string[],
): readonly (readonly [string, Column])[] {
  const columns = new Map<string, Column>()
  for (const name of names) {
    const field = fields[name]
    if (field === undefined) continue
    columns.set(name, field.shown ?? field.column)
    for (const [needed, column] of Object.entries(field.needs ?? {})) columns.set(needed, column)
  }
  return [...columns]
}

function named(columns: readonly (readonly [string, RawBuilder<unknown>])[]): RawBuilder<unknown> {
  if (columns.length === 0) return sql`1`
  return sql.join(columns.map(([name, column]) => sql`${column} as ${sql.ref(name)}`))
}

type Whole = { readonly fixed: RawBuilder<unknown>; readonly scoped: readonly (readonly [string, Column])[] }

/** Of resources that are made for one request, there is nothing to remember. */
const seen = new WeakSet<ListedResource>()
const wholes = new WeakMap<ListedResource, Whole>()

/**
 * All fields. Most columns are the same for everybody: their text is made once, as making it for each request showed in
 * what a deployment by its id costs.
 */
export function wholeList(db: Database, resource: ListedResource, scope: Scope): RawBuilder<unknown> {
  const names = Object.keys(resource.fields)
  if (!seen.has(resource)) {
    seen.add(resource)
    return listOf(resource, names, scope)
  }
  const known = wholes.get(resource) ?? wholeOf(db, columnsOf(resource, names))
  wholes.set(resource, known)
  const { fixed, scoped } = known
  if (scoped.length === 0) return fixed
  return sql`${fixed}, ${named(scoped.map(([name, column]) => [name, inScope(column, scope)]))}`
}

function wholeOf(db: Database, columns: readonly (readonly [string, Column])[]): Whole {
  const fixed = columns.flatMap(([name, column]) =>
    typeof column === 'function' ? [] : [[name, column] as const],
  )
  const scoped = columns.filter(([, column]) => typeof column === 'function')
  const list = named(fixed)
  const { sql: text, parameters } = list.compile(db)
  return { fixed: parameters.length === 0 ? sql.raw(text) : list, scoped }
}
