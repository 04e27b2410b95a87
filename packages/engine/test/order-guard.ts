import { isTerminated, type StoredOperation } from '../src/index.ts'
import { keyOf } from './memory-runner.ts'
import type { MemoryStore } from './memory-store.ts'

/**
 * Checks, from the stored rows alone, that an operation may be run: it has not ended, every subgraph
 * around it has started, and all that it or they wait for is done.
 */
export function mayRun(memory: MemoryStore, operation: StoredOperation): string | null {
  const rows = memory.operations
  const retries = new Map<string, StoredOperation>()
  for (const row of rows.values()) {
    if (row.parameters.retried_task !== null) retries.set(row.parameters.retried_task, row)
  }
  const stored = rows.get(operation.id)
  if (stored === undefined) return `${keyOf(operation)} is not stored`
  if (isTerminated(stored.state)) return `${keyOf(operation)} has ended`
  if (stored.state === 'pending') return `${keyOf(operation)} is run before that is stored`
  let row: StoredOperation | undefined = stored
  while (row !== undefined) {
    if (row !== stored && row.state !== 'started') return `${row.name} is ${row.state}, a task of it runs`
    for (const id of row.dependencies) {
      const last = lastOf(id, rows, retries)
      if (last !== undefined && !isDone(last)) return `${keyOf(operation)} does not wait for ${last.name}`
    }
    row = rows.get(row.parameters.containing_subgraph ?? '')
  }
  return null
}

function lastOf(
  id: string,
  rows: ReadonlyMap<string, StoredOperation>,
  retries: ReadonlyMap<string, StoredOperation>,
): StoredOperation | undefined {
  let last = rows.get(id)
  for (let next = last; next !== undefined; next = retries.get(next.id)) last = next
  return last
}

function isDone({ state, parameters }: StoredOperation): boolean {
  return state === 'succeeded' || parameters.ignored === true
}
