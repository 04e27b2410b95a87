import { type Static, Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { Nullable, Shape, Timestamp } from './common.ts'

export const ErrorCause = Shape('ErrorCause', {
  message: Type.String(),
  traceback: Nullable(Type.String()),
  type: Type.String(),
})
export type ErrorCause = Static<typeof ErrorCause>

/**
 * An event or a log line, flat as v3 and v3.1 answer it (docs/reference/events.md, "Fields").
 * `event_type` only on events; `level` and `logger` only on logs.
 */
export const Event = Shape('Event', {
  _storage_id: Type.Integer(),
  type: Type.String(),
  event_type: Type.Optional(Nullable(Type.String())),
  level: Type.Optional(Nullable(Type.String())),
  logger: Type.Optional(Nullable(Type.String())),
  message: Nullable(Type.String()),
  error_causes: Nullable(Type.Array(ErrorCause)),
  blueprint_id: Nullable(Type.String()),
  deployment_id: Nullable(Type.String()),
  deployment_display_name: Nullable(Type.String()),
  execution_id: Nullable(Type.String()),
  execution_group_id: Nullable(Type.String()),
  workflow_id: Nullable(Type.String()),
  node_name: Nullable(Type.String()),
  node_instance_id: Nullable(Type.String()),
  source_id: Nullable(Type.String()),
  target_id: Nullable(Type.String()),
  operation: Nullable(Type.String()),
  manager_name: Nullable(Type.String()),
  agent_name: Nullable(Type.String()),
  /** When the manager stored it. */
  timestamp: Timestamp,
  /** When it happened where it was sent from. */
  reported_timestamp: Timestamp,
})
export type Event = Static<typeof Event>

/** The filters that events have; any other is refused by name (docs/reference/events.md, "Fields"). */
export const eventFilterNames = [
  'type',
  'event_type',
  'level',
  'execution_id',
  'execution_group_id',
  'deployment_id',
  'blueprint_id',
  'node_id',
  'node_instance_id',
  'operation',
  'message',
] as const
export type EventFilterName = (typeof eventFilterNames)[number]

export const eventFields = fieldTable(Event, {
  defaultSort: [{ by: 'field', key: 'timestamp', direction: 'ascending' }],
  rangeField: 'timestamp',
  ignoresUnknownInclude: true,
  filters: eventFilterNames,
  extraFilters: { node_id: 'string', 'message.text': 'string', include_logs: 'boolean' },
})
