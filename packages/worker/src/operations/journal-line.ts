import { parseRecord } from '@tutti/domain/events'
import type { OperationRecord } from '@tutti/engine'
import { isDeeper, maxNesting } from './nesting.ts'
import type { JsonObject, JsonValue } from './outcome.ts'

/**
 * A list of `logs` or `events`, and the record as `POST /events` takes it. It was written by code that is not ours, and
 * becomes part of a step of the graph: nothing in it may be what cannot be stored.
 *
 * @throws Error, ApiError
 */
export function parseJournalLine(line: string): OperationRecord {
  const value: JsonValue = JSON.parse(line)
  if (!Array.isArray(value)) throw new Error('a line that is no record')
  const [kind, record] = value
  if ((kind !== 'logs' && kind !== 'events') || !isObject(record) || isDeeper(record, maxNesting)) {
    throw new Error('a line that is no record')
  }
  const sent = parseRecord(kind === 'logs' ? 'log' : 'event', record, false)
  return {
    isLog: sent.isLog,
    timestampMs: (sent.reportedAt ?? new Date()).getTime(),
    message: sent.message,
    type: sent.eventType ?? null,
    level: sent.level ?? null,
    logger: sent.logger ?? null,
    operation: sent.operation ?? null,
    nodeInstanceId: sent.nodeInstanceId ?? null,
    sourceId: sent.sourceId ?? null,
    targetId: sent.targetId ?? null,
    errorCauses: Array.isArray(sent.errorCauses) ? sent.errorCauses : [],
  }
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
