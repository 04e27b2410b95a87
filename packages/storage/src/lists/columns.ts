import type { RawBuilder } from 'kysely'
import type { ListedResource } from './resource.ts'

/** The SQL of a field. */
export function columnOf(resource: ListedResource, name: string): RawBuilder<unknown> {
  const field = resource.fields[name]
  if (field === undefined) throw new Error(`${resource.model} has no field ${name} in its list definition`)
  return field.column
}
