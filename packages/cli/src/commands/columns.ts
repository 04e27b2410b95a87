import { statusColour } from '../output/status-colour.ts'
import type { Column } from '../output/table.ts'

/** A column that prints one field as it is. */
export const textColumn = <Row>(
  title: string,
  value: (row: Row) => string | number | null | undefined,
): Column<Row> => ({
  title,
  value: (row) => String(value(row) ?? ''),
})

/** `yes`, or nothing. */
export const flagColumn = <Row>(title: string, value: (row: Row) => boolean): Column<Row> => ({
  title,
  value: (row) => (value(row) ? 'yes' : ''),
})

/** A structure, as JSON; nothing for null and for empty ones. */
export const jsonColumn = <Row>(title: string, value: (row: Row) => unknown): Column<Row> => ({
  title,
  value: (row) => jsonText(value(row)),
})

/** How many there are or, where the manager was asked for them, which. */
export const membersColumn = <Row>(title: string, value: (row: Row) => unknown): Column<Row> => ({
  title,
  value: (row) => membersText(value(row)),
})

export const timeColumn = <Row>(title: string, value: (row: Row) => string | null): Column<Row> => ({
  title,
  value: (row) => (value(row) ?? '').slice(0, 19).replace('T', ' '),
})

export const statusColumn = <Row>(title: string, value: (row: Row) => string | null): Column<Row> => ({
  title,
  value: (row) => value(row) ?? '',
  paint: (text, row, style) => style(statusColour(value(row) ?? ''), text),
})

/** Whose it is and who can see it: at the end of everything that belongs to a tenant. */
export const ownerColumns: readonly Column<{ readonly visibility: string; readonly tenant_name: string }>[] =
  [
    textColumn('visibility', ({ visibility }) => visibility),
    textColumn('tenant', ({ tenant_name: tenant }) => tenant),
  ]

export const labelsText = (labels: readonly { readonly key: string; readonly value: string }[]): string =>
  labels.map(({ key, value }) => `${key}=${value}`).join(', ')

export function jsonText(value: unknown): string {
  if (value === undefined || value === null || typeof value === 'string') return value ?? ''
  const isEmpty = typeof value === 'object' && Object.keys(value).length === 0
  return isEmpty ? '' : JSON.stringify(value)
}

/** A number, a list of names, or names with their roles: one, or one given directly among all of them. */
function membersText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value ?? '')
  if (Array.isArray(value)) return value.join(', ')
  return Object.entries(value)
    .map(([name, role]) => `${name} (${rolesText(role)})`)
    .join(', ')
}

function rolesText(role: unknown): string {
  const roles = typeof role === 'object' && role !== null && 'roles' in role ? role.roles : role
  return Array.isArray(roles) ? roles.join(', ') : String(roles)
}
