import { type RawBuilder, sql } from 'kysely'
import { fixed, fixedOnce } from './fixed.ts'
import type { Column, ListedResource, Scope } from './resource.ts'

/** The SQL of a field. */
export function columnOf(resource: ListedResource, name: string, scope: Scope): RawBuilder<unknown> {
  const field = resource.fields[name]
  if (field === undefined) throw new Error(`${resource.model} has no field ${name} in its list definition`)
  return inScope(field.column, scope)
}

const inScope = (column: Column, scope: Scope) =>
  typeof column === 'function' ? column(scope) : fixedOnce(column)

/**
 * `COLUMN as NAME` for each of the fields, and for what they need besides; without those that are read beside the row as
 * texts, where they are.
 */
export function listOf(
  resource: ListedResource,
  names: readonly string[],
  scope: Scope,
  hasTexts = false,
): RawBuilder<unknown> {
  const parts = partsOf(resource, names, hasTexts)
  return parts.length === 0
    ? sql`1`
    : sql.join(parts.map((part) => (typeof part === 'function' ? part(scope) : part)))
}

type Part = RawBuilder<unknown> | ((scope: Scope) => RawBuilder<unknown>)
type Known = { uses: number; readonly lists: Map<string, readonly Part[]> }

/** Of resources that are made for one request, there is nothing to remember. */
const known = new WeakMap<ListedResource, Known>()
/** As many as there are views of a resource in clients, and no more than somebody may make up. */
const mostLists = 50

/** Most columns are the same for everybody: what stands between those that are not is one text, made once. */
function partsOf(resource: ListedResource, names: readonly string[], hasTexts: boolean): readonly Part[] {
  const of = known.get(resource) ?? { uses: 0, lists: new Map() }
  known.set(resource, of)
  of.uses += 1
  if (of.uses === 1) return columnsOf(resource, names, hasTexts).map(([name, column]) => partOf(name, column))
  const key = `${hasTexts} ${names.join(',')}`
  const found = of.lists.get(key)
  if (found !== undefined) return found
  if (of.lists.size >= mostLists) of.lists.clear()
  const made = merged(columnsOf(resource, names, hasTexts))
  of.lists.set(key, made)
  return made
}

function merged(columns: readonly (readonly [string, Column])[]): readonly Part[] {
  const parts: Part[] = []
  let run: RawBuilder<unknown>[] = []
  const end = () => {
    if (run.length > 0) parts.push(fixed(sql.join(run)))
    run = []
  }
  for (const [name, column] of columns) {
    const part = partOf(name, column)
    if (typeof part !== 'function') run.push(part)
    else {
      end()
      parts.push(part)
    }
  }
  end()
  return parts
}

const partOf = (name: string, column: Column): Part =>
  typeof column === 'function'
    ? (scope) => sql`${column(scope)} as ${sql.ref(name)}`
    : sql`${column} as ${sql.ref(name)}`

function columnsOf(
  { fields }: ListedResource,
  names: readonly string[],
  hasTexts: boolean,
): readonly (readonly [string, Column])[] {
  const columns = new Map<string, Column>()
  for (const name of names) {
    const field = fields[name]
    if (field === undefined) continue
    if (hasTexts && field.written !== undefined) continue
    columns.set(name, field.shown ?? field.column)
    for (const [needed, column] of Object.entries(field.needs ?? {})) columns.set(needed, column)
  }
  return [...columns]
}
