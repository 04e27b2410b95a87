import type { EmittedEvent, OperationRecord } from '@tutti/engine'
import type { NewEvent } from '@tutti/storage'

/** Events as rows; `nodeOf` names the node of an instance of the deployment. */
export function eventRows(
  events: readonly (EmittedEvent | OperationRecord)[],
  nodeOf: (instanceId: string) => string | null,
): NewEvent[] {
  return events.map((event) => {
    const nodeId = event.nodeInstanceId === null ? null : nodeOf(event.nodeInstanceId)
    const row = {
      isLog: false,
      reportedAt: new Date(event.timestampMs),
      eventType: event.type,
      message: event.message,
      operation: event.operation,
      nodeInstanceId: event.nodeInstanceId,
      nodeId,
      errorCauses: event.errorCauses.length === 0 ? null : event.errorCauses,
    }
    return 'isLog' in event ? recordRow(event, row) : row
  })
}

/** Instances of other deployments are none of an operation's business. */
function recordRow({ isLog, level, logger, sourceId, targetId }: OperationRecord, row: NewEvent): NewEvent {
  const own = { isLog, level, logger, sourceId, targetId }
  return { ...row, ...own, nodeInstanceId: row.nodeId == null ? null : (row.nodeInstanceId ?? null) }
}
