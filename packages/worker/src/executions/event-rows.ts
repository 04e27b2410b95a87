import { hostname } from 'node:os'
import type { EmittedEvent } from '@tutti/engine'
import type { EventContext, ExecutionRow, NewEvent } from '@tutti/storage'

export function eventContext(execution: ExecutionRow): EventContext {
  return {
    tenantId: execution.tenant_id,
    executionId: execution.id,
    workflowId: execution.workflow_id,
    deploymentId: execution.deployment_id,
    deploymentDisplayName: execution.deployment_display_name,
    blueprintId: execution.blueprint_id,
    visibility: execution.visibility,
    createdBy: execution.created_by,
    managerName: hostname(),
    agentName: null,
  }
}

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
