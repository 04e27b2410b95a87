import type { StoredOperation } from './stored-operation.ts'
import { each, type Work } from './work.ts'

/** Which rows of a stored graph still count: retries and re-runs supersede rows, whole subgraphs of them. */
export type Lineage = {
  readonly rows: ReadonlyMap<string, StoredOperation>
  /** Whether neither the row nor a subgraph around it was retried by a later row. */
  isLive(row: StoredOperation): boolean
  /** The row that does today what the row of that id was to do. */
  current(id: string): StoredOperation | undefined
}

export function* lineageOf(operations: readonly StoredOperation[]): Work<Lineage> {
  const rows = new Map<string, StoredOperation>()
  const successors = new Map<string, StoredOperation>()
  yield* each(operations, (row) => {
    rows.set(row.id, row)
    if (row.parameters.retried_task !== null) successors.set(row.parameters.retried_task, row)
  })
  const superseding = (row: StoredOperation): StoredOperation | undefined => {
    for (let at: StoredOperation | undefined = row; at !== undefined; at = containerOf(at)) {
      const successor = successors.get(at.id)
      if (successor !== undefined) return successor
    }
    return undefined
  }
  const containerOf = ({ parameters }: StoredOperation) =>
    parameters.containing_subgraph === null ? undefined : rows.get(parameters.containing_subgraph)
  return {
    rows,
    isLive: (row) => superseding(row) === undefined,
    current: (id) => {
      let row = rows.get(id)
      for (let next = row; next !== undefined; next = superseding(next)) row = next
      return row
    },
  }
}
