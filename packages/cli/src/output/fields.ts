import type { Style } from './style.ts'
import { printable } from './table.ts'

/** `name  value` lines of one resource; absent values are left out, structures are printed as JSON. */
export function renderFields(
  fields: readonly (readonly [name: string, value: unknown])[],
  style: Style,
): string {
  const shown = fields.filter(([, value]) => value !== null && value !== undefined && value !== '')
  const lines = shown.map(([name, value]) => [printable(name), show(value)] as const)
  const width = Math.max(0, ...lines.map(([name]) => name.length))
  return lines.map(([name, value]) => `${style('bold', name.padEnd(width))}  ${value}`).join('\n')
}

const show = (value: unknown): string =>
  typeof value === 'string' ? printable(value) : printable(JSON.stringify(value) ?? '')
