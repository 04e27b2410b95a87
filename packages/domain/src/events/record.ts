import { missingBodyField, parseTimestamp, wireTypeOf, wrongType } from '@tutti/api'
import type { SentEvent } from './queries.ts'

type Given = Readonly<Record<string, unknown>>

/**
 * An event or a log line as workers and the Python SDK send it (docs/reference/events.md, "Sending").
 * `mayDate`: the sender may also say when it was stored first, as restores do.
 *
 * @throws bad_parameters_error
 */
export function parseRecord(kind: 'event' | 'log', given: Given, mayDate: boolean): SentEvent {
  const context = objectAt(given, 'context')
  const sent = timeAt(given, 'timestamp')
  const reported = mayDate ? timeAt(given, 'reported_timestamp') : undefined
  const common = {
    message: messageOf(given),
    nodeInstanceId: textAt(context, 'node_id'),
    sourceId: textAt(context, 'source_id'),
    targetId: textAt(context, 'target_id'),
    reportedAt: reported ?? sent,
    ...(reported !== undefined && { storedAt: sent }),
  }
  if (kind === 'log') {
    return {
      ...common,
      isLog: true,
      // Clients choose by the level whether to show a line: it may not be missing.
      level: textAt(given, 'level') ?? 'info',
      logger: textAt(given, 'logger'),
      operation: textAt(context, 'operation'),
    }
  }
  const eventType = textAt(given, 'event_type')
  if (eventType === undefined) throw missingBodyField('event_type')
  return {
    ...common,
    isLog: false,
    eventType,
    operation: textAt(given, 'operation'),
    errorCauses: causesAt(context),
  }
}

function messageOf(given: Given): string {
  const { message } = given
  if (typeof message === 'string') return message
  return textAt(objectAt(given, 'message'), 'text') ?? ''
}

function causesAt(context: Given): unknown {
  const causes = context.task_error_causes
  if (causes === undefined || causes === null) return undefined
  if (Array.isArray(causes)) return causes
  throw wrongType('task_error_causes', 'list', wireTypeOf(causes))
}

function objectAt(given: Given, name: string): Given {
  const value = given[name] ?? {}
  if (wireTypeOf(value) !== 'dict') throw wrongType(name, 'dict', wireTypeOf(value))
  return value as Given
}

function textAt(given: Given, name: string): string | undefined {
  const value = given[name]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  throw wrongType(name, 'str', wireTypeOf(value))
}

function timeAt(given: Given, name: string): Date | undefined {
  const text = textAt(given, name)
  return text === undefined ? undefined : parseTimestamp(text)
}
