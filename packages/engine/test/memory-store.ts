import {
  type Commit,
  countedOperations,
  type EmittedEvent,
  finish,
  type GraphRecord,
  isTerminated,
  newGraphRecord,
  type PreparedResume,
  type StoredOperation,
} from '../src/index.ts'

/** What a database would hold. */
export type MemoryStore = {
  readonly operations: Map<string, StoredOperation>
  readonly instanceStates: Map<string, string>
  readonly stateLog: string[]
  readonly events: EmittedEvent[]
  record: GraphRecord
  total: number
  finished: number
}

export function newStore(operations: readonly StoredOperation[]): MemoryStore {
  return {
    operations: new Map(operations.map((row) => [row.id, row])),
    instanceStates: new Map(),
    stateLog: [],
    events: [],
    record: newGraphRecord,
    total: finish(countedOperations(operations)),
    finished: 0,
  }
}

/** One transaction. Only what can be written as JSON survives, as in a database. */
export function store(to: MemoryStore, commit: Commit): void {
  for (const row of json(commit.inserted)) to.operations.set(row.id, row)
  for (const { id, ...changed } of json(commit.patched)) {
    const row = to.operations.get(id)
    if (row === undefined) throw new Error(`the commit patches ${id}, which is not stored`)
    if (row.state === 'succeeded') throw new Error(`the commit changes ${row.name}, which had succeeded`)
    to.operations.set(id, { ...row, ...changed })
  }
  for (const id of commit.removed) to.operations.delete(id)
  for (const { nodeInstanceId, state } of commit.nodeInstanceStates) {
    to.instanceStates.set(nodeInstanceId, state)
    to.stateLog.push(`${nodeInstanceId} ${state}`)
  }
  to.events.push(...commit.events)
  to.total += commit.counters.total
  to.finished += commit.counters.finished
  if (commit.record !== null) to.record = json(commit.record)
}

export function storeResume(to: MemoryStore, { operations, record, total }: PreparedResume): void {
  to.operations.clear()
  for (const row of json(operations)) to.operations.set(row.id, row)
  to.record = json(record)
  to.total += total
}

function json<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}

export function messages(of: MemoryStore, type?: string): readonly string[] {
  return of.events.filter((event) => type === undefined || event.type === type).map((event) => event.message)
}

/** Terminated rows that `finished_operations` must have counted. */
export function terminatedCount(of: MemoryStore): number {
  return finish(countedOperations([...of.operations.values()].filter((row) => isTerminated(row.state))))
}
