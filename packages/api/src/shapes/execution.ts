import { type Static, Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { JsonObject, Nullable, ownerFields, Shape, Timestamp } from './common.ts'

/** docs/reference/executions.md, "Statuses". */
export const waitingStatuses = ['queued', 'scheduled'] as const
/** Statuses in which a worker has something to do: docs/reference/executions.md, "Statuses". */
export const activeStatuses = [
  'pending',
  'started',
  'cancelling',
  'force_cancelling',
  'kill_cancelling',
] as const
export const endStatuses = ['terminated', 'failed', 'cancelled'] as const
export const executionStatuses = [...waitingStatuses, ...activeStatuses, ...endStatuses] as const

export type ExecutionStatus = (typeof executionStatuses)[number]

export const isExecutionStatus = (status: unknown): status is ExecutionStatus =>
  executionStatuses.some((one) => one === status)
export const isEndStatus = (status: string): boolean => endStatuses.some((end) => end === status)
export const isActiveStatus = (status: string): boolean => activeStatuses.some((active) => active === status)

/** `status_display`: the status, but `completed` for terminated. */
export const displayedStatus = (status: string): string => (status === 'terminated' ? 'completed' : status)

/** What POST /executions/{id} understands (docs/reference/executions.md, "Statuses"). */
export const executionActions = [
  'cancel',
  'force-cancel',
  'kill',
  'resume',
  'force-resume',
  'requeue',
] as const
export type ExecutionAction = (typeof executionActions)[number]

export const isExecutionAction = (action: unknown): action is ExecutionAction =>
  executionActions.some((one) => one === action)

/** docs/reference/executions.md, "Fields" and "Statuses". */
export const Execution = Shape('Execution', {
  id: Type.String(),
  workflow_id: Type.String(),
  blueprint_id: Nullable(Type.String()),
  deployment_id: Nullable(Type.String()),
  deployment_display_name: Nullable(Type.String()),
  status: Type.String(),
  status_display: Type.String(),
  /** Empty unless the execution failed. */
  error: Type.String(),
  parameters: Nullable(JsonObject),
  is_system_workflow: Type.Boolean(),
  is_dry_run: Type.Boolean(),
  resume: Type.Boolean(),
  allow_custom_parameters: Type.Boolean(),
  total_operations: Type.Integer(),
  finished_operations: Type.Integer(),
  started_at: Nullable(Timestamp),
  ended_at: Nullable(Timestamp),
  scheduled_for: Nullable(Timestamp),
  ...ownerFields,
})
export type Execution = Static<typeof Execution>

export const executionFields = fieldTable(Execution, {
  extraFilters: { execution_group_id: 'string', _group_id: 'string', deployment_group_id: 'string' },
})
