import type { RouteItem, RouteName, RouteResponse } from '@tutti/api'
import type { Style } from '../output/style.ts'
import { type Column, printable } from '../output/table.ts'

/** How one kind of thing is shown: a row of its list, or all of one. */
export type Resource<Row> = {
  /** As in “No user groups.” */
  readonly plural: string
  readonly columns: readonly Column<Row>[]
  /** What one of them shows besides the columns of the list. */
  readonly details?: readonly Column<Row>[]
  /** Fields with secrets, which are not printed even as JSON. */
  readonly hides?: readonly string[]
}

/** What may be printed of it. */
export const withoutHidden = (value: unknown, hides: readonly string[] = []): unknown =>
  hides.length === 0 || typeof value !== 'object' || value === null
    ? value
    : Object.fromEntries(Object.entries(value).filter(([key]) => !hides.includes(key)))

/** The resource that a route lists, or answers with. */
export type Listed<Name extends RouteName> = Resource<RouteItem<Name>>
export type Answered<Name extends RouteName> = Resource<RouteResponse<Name>>

/** `name  value` lines; what is empty is left out. */
export function renderOne<Row>(row: Row, { columns, details = [] }: Resource<Row>, style: Style): string {
  const fields = [...columns, ...details]
    .map((column) => ({ column, text: printable(column.value(row)) }))
    .filter(({ text }) => text !== '')
  const width = Math.max(0, ...fields.map(({ column }) => column.title.length))
  return fields
    .map(({ column: { title, paint }, text }) => {
      const shown = paint === undefined ? text : paint(text, row, style)
      return `${style('bold', title.padEnd(width))}  ${shown}`
    })
    .join('\n')
}
