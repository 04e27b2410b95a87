import { Type } from 'typebox'
import { Nullable, Shape } from '../shapes/common.ts'
import type { Event } from '../shapes/event.ts'
import { v2Time } from './v2-shapes.ts'

/** What managers of that time told of the task queue; events of today's name no task. */
const taskKeys = [
  'task_id',
  'task_name',
  'task_queue',
  'task_target',
  'task_total_retries',
  'task_current_retries',
  'plugin',
] as const
const forTask = <Value>(value: Value) =>
  Object.fromEntries(taskKeys.map((key) => [key, value])) as Record<(typeof taskKeys)[number], Value>

/** An event or a log line of v2 (docs/reference/events.md, "Events of v2"). */
export const V2Event = Shape('Event', {
  type: Type.String(),
  event_type: Type.Optional(Nullable(Type.String())),
  level: Type.Optional(Nullable(Type.String())),
  logger: Type.Optional(Nullable(Type.String())),
  timestamp: Type.String(),
  '@timestamp': Type.String(),
  '@version': Type.String(),
  message_code: Type.Null(),
  tags: Type.Array(Type.String()),
  message: Type.Object({ text: Nullable(Type.String()), arguments: Type.Optional(Type.Null()) }),
  context: Type.Object({
    ...forTask(Type.Null()),
    blueprint_id: Nullable(Type.String()),
    deployment_id: Nullable(Type.String()),
    execution_id: Nullable(Type.String()),
    workflow_id: Nullable(Type.String()),
    operation: Nullable(Type.String()),
    node_id: Nullable(Type.String()),
    node_name: Nullable(Type.String()),
  }),
})

export function v2Event(event: Event) {
  const isLog = event.level !== undefined
  const timestamp = v2Time(event.timestamp)
  return {
    type: event.type,
    ...(isLog ? { level: event.level, logger: event.logger } : { event_type: event.event_type }),
    timestamp,
    '@timestamp': timestamp,
    '@version': '1',
    message_code: null,
    tags: [],
    message: { text: event.message, ...(!isLog && { arguments: null }) },
    context: {
      ...forTask(null),
      blueprint_id: event.blueprint_id,
      deployment_id: event.deployment_id,
      execution_id: event.execution_id,
      workflow_id: event.workflow_id,
      operation: event.operation,
      node_id: event.node_instance_id,
      node_name: event.node_name,
    },
  }
}
