import { stripVTControlCharacters } from 'node:util'
import type { Style } from './style.ts'

export type Column<Row> = {
  readonly title: string
  readonly value: (row: Row) => string
  /** Applied after the widths are known. */
  readonly paint?: (text: string, row: Row, style: Style) => string
}

const gap = '  '

const plain: Style = (_colour, text) => text

/**
 * Rows under titles, each column as wide as its widest cell. Where the width is known, the widest columns
 * give way; a cut cell ends in `…`.
 */
export function renderTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  totalWidth: number | undefined,
  style: Style = plain,
): string {
  const cells = rows.map((row) => columns.map((column) => printable(column.value(row))))
  const natural = columns.map((column, index) =>
    Math.max(column.title.length, ...cells.map((line) => line[index]?.length ?? 0)),
  )
  const widths =
    totalWidth === undefined ? natural : fit(natural, totalWidth - gap.length * (columns.length - 1))
  const pad = (text: string, index: number) => cut(text, widths[index] ?? 0).padEnd(widths[index] ?? 0)
  const title = columns.map(({ title: text }, index) => pad(text, index)).join(gap)
  const lines = rows.map((row, line) =>
    columns
      .map(({ paint }, index) => {
        const text = pad(cells[line]?.[index] ?? '', index)
        return paint === undefined ? text : paint(text, row, style)
      })
      .join(gap)
      .trimEnd(),
  )
  return [title.trimEnd(), ...lines].join('\n')
}

function fit(natural: readonly number[], available: number): readonly number[] {
  const widths = [...natural]
  const least = 8
  for (let excess = sum(widths) - available; excess > 0; excess = sum(widths) - available) {
    const widest = widths.indexOf(Math.max(...widths))
    const width = widths[widest] ?? 0
    if (width <= least) break
    widths[widest] = Math.max(least, width - excess, secondWidest(widths, widest))
    if (widths[widest] === width) widths[widest] = width - 1
  }
  return widths
}

const secondWidest = (widths: readonly number[], widest: number): number =>
  Math.max(0, ...widths.filter((_, index) => index !== widest))

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`

/** One line that cannot steer the terminal: what comes from blueprints and operations is not trusted. */
export const printable = (text: string): string =>
  stripVTControlCharacters(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
