import type { Colour } from './style.ts'

const colours: Readonly<Record<string, Colour>> = {
  terminated: 'green',
  completed: 'green',
  uploaded: 'green',
  succeeded: 'green',
  good: 'green',
  active: 'green',
  OK: 'green',
  Active: 'green',
  failed: 'red',
  invalid: 'red',
  requires_attention: 'yellow',
  cancelled: 'yellow',
  Fail: 'red',
  Inactive: 'red',
}

/** How a status or state looks; everything on its way is cyan. */
export const statusColour = (status: string): Colour =>
  colours[status] ?? (status.startsWith('failed') ? 'red' : 'cyan')
