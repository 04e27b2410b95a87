import type { ListOf } from '@tutti/api'
import type { Environment } from '../environment.ts'
import { jsonText } from './json-text.ts'
import { type Style, styleFor } from './style.ts'
import { type Column, renderTable } from './table.ts'

/** Writes the results of commands: for people, or with `--json` for programs. */
export type Printer = {
  readonly isJson: boolean
  readonly style: Style
  /** A list; as JSON the envelope itself. */
  readonly list: <Row>(list: ListOf<Row>, columns: readonly Column<Row>[], noun: string) => void
  /** One value; as JSON the value itself. */
  readonly value: (value: unknown, text: string) => void
  /** For people only. */
  readonly note: (text: string) => void
}

export function createPrinter(environment: Environment, isJson: boolean): Printer {
  const { stdout } = environment
  const style = styleFor(stdout, environment)
  const line = (text: string) => stdout.write(`${text}\n`)
  const json = (value: unknown) => line(jsonText(value, stdout.isTerminal ? 2 : undefined))
  return {
    isJson,
    style,
    list: (list, columns, noun) => {
      if (isJson) return json(list)
      const { total, offset } = list.metadata.pagination
      if (list.items.length === 0) return line(`No ${noun}.`)
      const bold = columns.map((column) => ({ ...column, title: column.title.toUpperCase() }))
      line(renderTable(bold, list.items, stdout.columns, style))
      const last = offset + list.items.length
      if (last < total || offset > 0) {
        line(style('gray', `${offset + 1}–${last} of ${total} ${noun}. Next: --offset ${last}`))
      }
    },
    value: (value, text) => (isJson ? json(value) : line(text)),
    note: (text) => {
      if (!isJson) line(text)
    },
  }
}
