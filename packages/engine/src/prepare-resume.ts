import { type GraphRecord, newGraphRecord, type OperationPatch } from './commit.ts'
import { resumeCleanup } from './lifecycle/resume-cleanup.ts'
import { lineageOf } from './lineage.ts'
import { countedOperations, isInFlight, isTerminated, type StoredOperation } from './stored-operation.ts'
import type { BuildInput } from './workflow.ts'

export interface PreparedResume {
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
export function prepareResume(
  operations: readonly StoredOperation[],
  mode: 'resume' | 'force-resume',
  cleanup: BuildInput | null,
): PreparedResume {
  const lineage = lineageOf(operations)
  const isReset = (row: StoredOperation) => {
    if (row.state === 'failed' || row.state === 'rescheduled') return row.parameters.ignored !== true
    return mode === 'force-resume' && isInFlight(row.state) && row.type !== 'SubgraphTask'
  }
  const rows = operations.map((row) => (isReset(row) && lineage.isLive(row) ? pending(row) : row))
  const { changed, inserted } = cleanup === null ? noCleanup : resumeCleanup(rows, lineage, cleanup)
  const result = rows.map((row) => changed.get(row.id) ?? row)
  const patched = result.filter((row, index) => row !== operations[index])
  return {
    operations: [...result, ...inserted],
    record: newGraphRecord,
    patched: patched.map(({ id, state, parameters, dependencies }) => ({
      id,
      state,
      parameters,
      dependencies,
    })),
    inserted,
    total: countedOperations(inserted),
  }
}

const noCleanup = { changed: new Map<string, StoredOperation>(), inserted: [] }

function pending(row: StoredOperation): StoredOperation {
  const { not_before_ms: _, ...parameters } = row.parameters
  const counted = isTerminated(row.state) || parameters.counted === true
  return {
    ...row,
    state: 'pending',
    parameters: { ...parameters, current_retries: 0, error: null, ...(counted ? { counted } : {}) },
  }
}
