import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { toJson } from '../database.ts'
import type { Queue } from '../queue.ts'
import type { Visibility } from '../schema.ts'
import { pickUpMs } from './dequeue.ts'

export type NewExecution = {
  readonly tenantId: number
  readonly id: string
  readonly workflowId: string
  readonly status: 'pending' | 'queued' | 'failed'
  readonly error?: string
  readonly deployment?: {
    readonly id: string
    readonly displayName: string
    readonly blueprintId: string
  }
  readonly parameters: Readonly<Record<string, unknown>>
  readonly isSystemWorkflow?: boolean
  readonly isDryRun?: boolean
  readonly allowCustomParameters?: boolean
  readonly force?: boolean
  /** seconds */
  readonly waitAfterFail?: number
  readonly visibility?: Visibility
  readonly createdBy: string
}

/** Writes an execution, and its job when it may start at once, in the caller's transaction. */
export async function insertExecution(
  transaction: Database,
  queue: Queue,
  execution: NewExecution,
): Promise<void> {
  const starts = execution.status === 'pending'
  await transaction
    .insertInto('executions')
    .values({
      tenant_id: execution.tenantId,
      id: execution.id,
      workflow_id: execution.workflowId,
      status: execution.status,
      error: execution.error ?? '',
      deployment_id: execution.deployment?.id ?? null,
      deployment_display_name: execution.deployment?.displayName ?? null,
      blueprint_id: execution.deployment?.blueprintId ?? null,
      parameters: toJson(execution.parameters),
      is_system_workflow: execution.isSystemWorkflow ?? false,
      is_dry_run: execution.isDryRun ?? false,
      allow_custom_parameters: execution.allowCustomParameters ?? false,
      force: execution.force ?? false,
      wait_after_fail: execution.waitAfterFail ?? 600,
      visibility: execution.visibility ?? 'tenant',
      created_by: execution.createdBy,
      resume_mode: null,
      token_hash: null,
      lease_owner: null,
      lease_expires_at: starts ? sql<Date>`clock_timestamp() + ${pickUpMs} * interval '1 millisecond'` : null,
      ...(execution.status === 'failed' && { ended_at: sql<Date>`clock_timestamp()` }),
    })
    .execute()
  if (starts) {
    await queue.enqueue(transaction, [{ tenantId: execution.tenantId, executionId: execution.id }])
  }
}
