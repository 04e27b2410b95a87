import type { Transaction } from '@tutti/storage'
import {
  applyUpdate,
  changeBlueprintOf,
  finishUpdate,
  readUpdateOf,
  type UpdateRow,
} from '../deployment-updates/index.ts'
import type { ActionRun, WorkflowAction } from './action.ts'

const nothing = async () => {}

/** The deployment becomes what its update was prepared for; what is removed goes at the end. It stays when a later phase fails. */
export const update: WorkflowAction = {
  begin: onUpdate(applyUpdate),
  end: onUpdate(finishUpdate),
  undo: nothing,
}

/** From there on the deployment is one of the new blueprint. */
export const updateBlueprint: WorkflowAction = {
  begin: onUpdate(changeBlueprintOf),
  end: nothing,
  undo: nothing,
}

function onUpdate(change: (transaction: Transaction, row: UpdateRow) => Promise<void>) {
  return async (transaction: Transaction, { execution }: ActionRun): Promise<void> => {
    const row = await readUpdateOf(transaction, execution)
    if (row === undefined) throw new Error(`execution ${execution.id} is of no deployment update`)
    await change(transaction, row)
  }
}
