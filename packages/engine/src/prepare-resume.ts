import { type GraphRecord, newGraphRecord, type OperationPatch } from './commit.ts'
import { resumeCleanup } from './lifecycle/resume-cleanup.ts'
import { lineageOf } from './lineage.ts'
import { countedOperations, isInFlight, isTerminated, type StoredOperation } from './stored-operation.ts'
import { each, type Work } from './work.ts'
import type { BuildInput } from './workflow.ts'

export type PreparedResume = {
  /** The whole graph as it is after the changes, for `createGraph`. */
  readonly operations: readonly StoredOperation[]
  readonly record: GraphRecord
  /** What to store, in one transaction, before the graph is started. */
  readonly patched: readonly OperationPatch[]
  readonly inserted: readonly StoredOperation[]
  /** What to add to the execution's `total_operations`. */
  readonly total: number
}

/**
 * Resets the stored graph of a failed or cancelled execution (docs/reference/workflows.md, "Resuming"): `resume` what
 * failed, `force-resume` what was in flight as well. Not for an execution whose worker was lost: that
 * one's graph goes on as it is stored.
 *
 * @param cleanup given when the phase `cleansUpOnResume`
 */
export function* prepareResume(
  operations: readonly StoredOperation[],
  mode: 'resume' | 'force-resume',
  cleanup: BuildInput | null,
): Work<PreparedResume> {
  const lineage = yield* lineageOf(operations)
  const isReset = (row: StoredOperation) => {
    if (row.state === 'failed' || row.state === 'rescheduled') return row.parameters.ignored !== true
    // Of what has answered, only its handler is asked again.
    const isWithoutAnswer = isInFlight(row.state) && row.parameters.answer === undefined
    return mode === 'force-resume' && isWithoutAnswer && row.type !== 'SubgraphTask'
  }
  const rows: StoredOperation[] = []
  yield* each(operations, (row) => rows.push(isReset(row) && lineage.isLive(row) ? pending(row) : row))
  const { changed, inserted } = cleanup === null ? noCleanup : yield* resumeCleanup(rows, lineage, cleanup)
  const result: StoredOperation[] = []
  const patched: StoredOperation[] = []
  yield* each(rows, (row, index) => {
    const changedRow = changed.get(row.id) ?? row
    result.push(changedRow)
    if (changedRow !== operations[index]) patched.push(changedRow)
  })
  return {
    operations: result.concat(inserted),
    record: newGraphRecord,
    patched: patched.map(({ id, state, parameters, dependencies }) => ({
      id,
      state,
      parameters,
      dependencies,
    })),
    inserted,
    total: yield* countedOperations(inserted),
  }
}

const noCleanup = { changed: new Map<string, StoredOperation>(), inserted: [] }

function pending(row: StoredOperation): StoredOperation {
  const { not_before_ms: _, answer: _answer, result: _result, ...parameters } = row.parameters
  const counted = isTerminated(row.state) || parameters.counted === true
  return {
    ...row,
    state: 'pending',
    parameters: { ...parameters, current_retries: 0, error: null, ...(counted ? { counted } : {}) },
  }
}
