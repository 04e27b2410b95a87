import {
  type Commit,
  countedOperations,
  type DeploymentModel,
  type EmittedEvent,
  finish,
  type GraphRecord,
  isJsonObject,
  isTerminated,
  type JsonObject,
  type NodeInstanceChange,
  newGraphRecord,
  type OperationRecord,
  type PhaseProgress,
  type PreparedResume,
  type StoredGraph,
  type StoredOperation,
  type StoredRun,
} from '../src/index.ts'

/** What a database would hold of one execution and its deployment. */
export type MemoryStore = {
  readonly graphs: Map<string, MemoryGraph>
  /** Of all graphs. */
  readonly operations: Map<string, StoredOperation>
  /** Instances that came and went since the deployment was made. */
  readonly instanceChanges: NodeInstanceChange[]
  readonly instanceStates: Map<string, string>
  readonly stateLog: string[]
  /** Of instances of which something was recorded, by id. */
  readonly systemProperties: Map<string, JsonObject>
  /** The started modification, and whether the deployment was as it is without it. */
  modification: (Required<DeploymentModel>['modification'] & { readonly before: BeforeModification }) | null
  readonly events: (EmittedEvent | OperationRecord)[]
  /** `begin NAME`, `end NAME`, `undo NAME` of the actions that took place. */
  readonly actions: string[]
  progress: PhaseProgress | null
  resumeMode: StoredRun['resumeMode']
  total: number
  finished: number
}

/** What a rollback restores. */
export type BeforeModification = {
  readonly changes: number
  readonly states: ReadonlyMap<string, string>
  readonly systemProperties: ReadonlyMap<string, JsonObject>
}

type MemoryGraph = { readonly name: string; record: GraphRecord; readonly ids: Set<string> }

export function newStore(): MemoryStore {
  return {
    graphs: new Map(),
    operations: new Map(),
    instanceChanges: [],
    instanceStates: new Map(),
    stateLog: [],
    systemProperties: new Map(),
    modification: null,
    events: [],
    actions: [],
    progress: null,
    resumeMode: null,
    total: 0,
    finished: 0,
  }
}

/** What is stored beside the only graph. */
export const recordOf = (of: MemoryStore): GraphRecord => [...of.graphs.values()][0]?.record ?? newGraphRecord

export function loadGraphs({ graphs, operations }: MemoryStore): readonly StoredGraph[] {
  return [...graphs].map(([id, { name, record, ids }]) => ({
    id,
    name,
    record,
    operations: [...ids].flatMap((one) => operations.get(one) ?? []),
  }))
}

export function storeGraph(to: MemoryStore, { id, name, record, operations }: StoredGraph): void {
  if (loadGraphs(to).some((graph) => graph.name === name)) throw new Error(`there is a graph ${name} already`)
  to.graphs.set(id, { name, record: json(record), ids: new Set() })
  insert(to, id, operations)
  to.total += finish(countedOperations(operations))
}

/** One transaction. Only what can be written as JSON survives, as in a database. */
export function storeStep(to: MemoryStore, graphId: string, commit: Commit): void {
  insert(to, graphId, commit.inserted)
  for (const { id, ...changed } of json(commit.patched)) {
    const row = to.operations.get(id)
    if (row === undefined) throw new Error(`the commit patches ${id}, which is not stored`)
    if (row.state === 'succeeded') throw new Error(`the commit changes ${row.name}, which had succeeded`)
    to.operations.set(id, { ...row, ...changed })
  }
  for (const id of commit.removed) {
    to.operations.delete(id)
    to.graphs.get(graphId)?.ids.delete(id)
  }
  to.instanceChanges.push(...json(commit.nodeInstanceChanges))
  for (const { nodeInstanceId, state } of commit.nodeInstanceStates) {
    to.instanceStates.set(nodeInstanceId, state)
    to.stateLog.push(`${nodeInstanceId} ${state}`)
    if (state === 'started') {
      const fine = { ok: true, result: null, task: null }
      to.systemProperties.set(nodeInstanceId, { ...to.systemProperties.get(nodeInstanceId), status: fine })
    }
  }
  for (const { nodeInstanceId, path, value } of json(commit.systemProperties)) {
    const stored = to.systemProperties.get(nodeInstanceId) ?? {}
    const [name, key] = path
    const inner = stored[name]
    const changed = key === undefined ? value : { ...(isJsonObject(inner) ? inner : {}), [key]: value }
    to.systemProperties.set(nodeInstanceId, { ...stored, [name]: changed })
  }
  to.events.push(...commit.events)
  to.total += commit.counters.total
  to.finished += commit.counters.finished
  const graph = to.graphs.get(graphId)
  if (commit.record !== null && graph !== undefined) graph.record = json(commit.record)
}

export function storeResume(to: MemoryStore, prepared: ReadonlyMap<string, PreparedResume>): void {
  for (const [id, { inserted, patched, record, total }] of prepared) {
    for (const { id: rowId, ...changed } of json(patched)) {
      const row = to.operations.get(rowId)
      if (row !== undefined) to.operations.set(rowId, { ...row, ...changed })
    }
    insert(to, id, inserted)
    const graph = to.graphs.get(id)
    if (graph !== undefined) graph.record = json(record)
    to.total += total
  }
  to.resumeMode = null
}

function insert(to: MemoryStore, graphId: string, rows: readonly StoredOperation[]): void {
  for (const row of json(rows)) {
    to.operations.set(row.id, row)
    to.graphs.get(graphId)?.ids.add(row.id)
  }
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
