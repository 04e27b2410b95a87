/** Changes of the database that are phases of workflows (docs/reference/workflows.md, "Phases"). */

import { updateActions } from '@tutti/engine'
import type { WorkflowAction } from './action.ts'
import { abortModification, modification } from './modification.ts'
import { update, updateBlueprint } from './update.ts'

export type { ActionRun, WorkflowAction } from './action.ts'

export type WorkflowActions = ReadonlyMap<string, WorkflowAction>

/** By the name that a phase gives. */
export const workflowActions: WorkflowActions = new Map([
  ['modification', modification],
  ['abort-modification', abortModification],
  [updateActions.apply, update],
  [updateActions.blueprint, updateBlueprint],
])
