import { type Static, Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { Nullable, ownerFields, Shape } from './common.ts'

/** docs/reference/groups.md, "Execution groups". */
export const ExecutionGroup = Shape('ExecutionGroup', {
  id: Type.String(),
  deployment_group_id: Nullable(Type.String()),
  workflow_id: Type.String(),
  concurrency: Type.Integer(),
  success_group_id: Nullable(Type.String()),
  failure_group_id: Nullable(Type.String()),
  /** Of all members together; null when there are none. In lists only when `_include` names it. */
  status: Type.Optional(Nullable(Type.String())),
  /** Those that the caller may see. In lists only when `_include` names them. */
  execution_ids: Type.Optional(Type.Array(Type.String())),
  ...ownerFields,
})
export type ExecutionGroup = Static<typeof ExecutionGroup>

export const executionGroupFields = fieldTable(ExecutionGroup)

/** What POST /execution-groups/{id} understands. */
export const executionGroupActions = ['cancel', 'force-cancel', 'kill', 'resume', 'force-resume'] as const
export type ExecutionGroupAction = (typeof executionGroupActions)[number]

export const isExecutionGroupAction = (action: unknown): action is ExecutionGroupAction =>
  executionGroupActions.some((one) => one === action)
