import type { ExecutionRow, Transaction } from '@tutti/storage'

/**
 * Changes of the database that are phases of workflows: what an `ActionPhase` of the engine begins, ends and undoes. A
 * new one is a line in `workflowActions` and a phase of its workflow.
 *
 * Each step is called once with a transaction that holds the execution's lease and stores that the step is done; what
 * is thrown undoes it. An `ApiError` fails the execution: its other actions are undone then.
 */
export type WorkflowAction = {
  begin(transaction: Transaction, run: ActionRun): Promise<void>
  /** All phases have succeeded. */
  end(transaction: Transaction, run: ActionRun): Promise<void>
  /** A later phase has not succeeded, or the execution was cancelled; never before `begin` or after `end`. */
  undo(transaction: Transaction, run: ActionRun): Promise<void>
}

export type ActionRun = {
  readonly execution: ExecutionRow
  readonly input: Readonly<Record<string, unknown>>
}
