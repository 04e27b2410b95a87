import type { EmittedEvent } from '@tutti/engine'
import type { NewEvent } from '@tutti/storage'

/** The engine's events as rows; `nodeOf` names the node of an instance. */
export function eventRows(
  events: readonly EmittedEvent[],
  nodeOf: (instanceId: string) => string | null,
): NewEvent[] {
  return events.map((event) => ({
    isLog: false,
    reportedAt: new Date(event.timestampMs),
    eventType: event.type,
    message: event.message,
    operation: event.operation,
    nodeInstanceId: event.nodeInstanceId,
    nodeId: event.nodeInstanceId === null ? null : nodeOf(event.nodeInstanceId),
    errorCauses: event.errorCauses.length === 0 ? null : event.errorCauses,
  }))
}
