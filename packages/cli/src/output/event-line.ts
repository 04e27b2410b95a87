import type { Event } from '@tutti/api'
import type { Colour, Style } from './style.ts'
import { printable } from './table.ts'

const eventColours: Readonly<Record<string, Colour>> = {
  workflow_started: 'bold',
  workflow_succeeded: 'green',
  workflow_failed: 'red',
  workflow_cancelled: 'yellow',
  task_failed: 'red',
  task_rescheduled: 'yellow',
  task_succeeded: 'green',
}

const levelColours: Readonly<Record<string, Colour>> = {
  debug: 'gray',
  warning: 'yellow',
  error: 'red',
  critical: 'red',
}

/** `TIME [NODE INSTANCE.OPERATION] LEVEL: MESSAGE` on one line, and causes of a failure that it does not name below it. */
export function renderEvent(event: Event, style: Style, time: 'short' | 'full'): string {
  const { event_type: type, level } = event
  const stamp = time === 'full' ? event.reported_timestamp : event.reported_timestamp.slice(11, 23)
  const colour = eventColours[type ?? ''] ?? levelColours[level ?? '']
  const label = level === undefined || level === null ? '' : `${level.toUpperCase()}: `
  const message = printable(firstLine(event.message ?? ''))
  const text = `${label}${message}`
  const line = `${style('gray', stamp)} ${style('cyan', `[${placeOf(event)}]`)} ${colour === undefined ? text : style(colour, text)}`
  const causes = (event.error_causes ?? [])
    .map(({ type: kind, message: why }) => ({ kind: printable(kind), why: printable(firstLine(why)) }))
    .filter(({ why }) => !message.includes(why))
    .map(({ kind, why }) => style('red', `    ${kind}: ${why}`))
  return [line, ...causes].join('\n')
}

/** Tracebacks follow in further lines: `--json` shows them. */
function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}

/** Where it happened: the deployment, or the node instance and the last part of the operation. */
function placeOf(event: Event): string {
  const instance = event.node_instance_id ?? event.source_id ?? event.deployment_id ?? 'manager'
  const operation = event.operation?.split('.').at(-1)
  return printable(operation === undefined ? instance : `${instance}.${operation}`)
}
