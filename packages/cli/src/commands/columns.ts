import { statusColour } from '../output/status-colour.ts'
import type { Style } from '../output/style.ts'
import type { Column } from '../output/table.ts'

/** A column that prints one field as it is. */
export const textColumn = <Row>(title: string, value: (row: Row) => string | number | null): Column<Row> => ({
  title,
  value: (row) => String(value(row) ?? ''),
})

export const timeColumn = <Row>(title: string, value: (row: Row) => string | null): Column<Row> => ({
  title,
  value: (row) => (value(row) ?? '').slice(0, 19).replace('T', ' '),
})

export const statusColumn = <Row>(
  title: string,
  style: Style,
  value: (row: Row) => string | null,
): Column<Row> => ({
  title,
  value: (row) => value(row) ?? '',
  paint: (text, row) => style(statusColour(value(row) ?? ''), text),
})

export const labelsText = (labels: readonly { readonly key: string; readonly value: string }[]): string =>
  labels.map(({ key, value }) => `${key}=${value}`).join(', ')
