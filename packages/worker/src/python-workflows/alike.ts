import { createHash } from 'node:crypto'
import { each, isTerminated, type StoredOperation, type Work } from '@tutti/engine'

/** First tries of the sequential mode, in their order, and those of which the last try has failed. */
export type Alike = {
  readonly firsts: readonly StoredOperation[]
  readonly failed: ReadonlySet<string>
  /** Of the row of that id, the last try. */
  last(row: string): string
}

export function firstTries(rows: readonly StoredOperation[]): Alike {
  const next = new Map(
    rows.flatMap((row) => (row.parameters.retried_task === null ? [] : [[row.parameters.retried_task, row]])),
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  const firsts = rows.filter(({ parameters }) => parameters.retried_task === null)
  const last = (id: string) => {
    let row = id
    for (let at = next.get(row); at !== undefined; at = next.get(row)) row = at.id
    return row
  }
  const hasFailed = (row: StoredOperation | undefined) =>
    row !== undefined &&
    isTerminated(row.state) &&
    row.state !== 'succeeded' &&
    row.parameters.ignored !== true
  const failed = firsts.flatMap(({ id }) => (hasFailed(byId.get(last(id))) ? [id] : []))
  return { firsts, failed: new Set(failed), last }
}

/** What a task does, whichever task it is. */
export function kindOf({ type, name, parameters }: StoredOperation): string {
  const { on_success, on_failure, total_retries, task_kwargs } = parameters
  const handlers = [on_success, on_failure].map((handler) => handler?.path ?? null)
  const said = JSON.stringify([type, name, handlers, total_retries, task_kwargs])
  return createHash('sha256').update(said).digest('base64')
}

/**
 * Which of the stored rows each of the described ones is, by the id of the stored one; undefined where the two are not
 * alike in what is done, in which order, within what. Ids are nobody's, and the order in which they are told is that of a
 * set in Python.
 */
export function* alikeRows(
  stored: readonly StoredOperation[],
  described: readonly StoredOperation[],
): Work<ReadonlyMap<string, string> | undefined> {
  const firsts = withoutRetries(stored)
  if (firsts.length !== described.length) return undefined
  const byLabel = new Map<string, string[]>()
  const labelsOfStored = yield* labels(firsts)
  yield* each(firsts, ({ id }) => {
    const label = labelsOfStored.get(id) ?? ''
    const same = byLabel.get(label)
    if (same === undefined) byLabel.set(label, [id])
    else same.push(id)
  })
  const names = new Map<string, string>()
  const labelsOfDescribed = yield* labels(described)
  for (const { id } of described) {
    const same = byLabel.get(labelsOfDescribed.get(id) ?? '')?.shift()
    if (same === undefined) return undefined
    names.set(same, id)
  }
  return names
}

/** Containers come before what is in them. */
function withoutRetries(rows: readonly StoredOperation[]): readonly StoredOperation[] {
  const later = new Set<string>()
  return rows.filter(({ id, parameters: { retried_task: retried, containing_subgraph: outer } }) => {
    if (retried === null && (outer === null || !later.has(outer))) return true
    later.add(id)
    return false
  })
}

/** A task by what it does, what it is in, and by the labels of what it waits for. */
function* labels(rows: readonly StoredOperation[]): Work<ReadonlyMap<string, string>> {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const done = new Map<string, string>()
  yield* each(rows, (row) => {
    // Its own stack: a chain may be as long as a graph.
    const open = [row]
    for (let at = open.at(-1); at !== undefined; at = open.at(-1)) {
      const around = at.parameters.containing_subgraph
      const needed = [...at.dependencies, ...(around === null ? [] : [around])]
      const missing = needed.flatMap((id) => (done.has(id) ? [] : (byId.get(id) ?? [])))
      if (missing.length > 0) {
        open.push(...missing)
        continue
      }
      const before = at.dependencies.flatMap((id) => done.get(id) ?? []).sort()
      const inside = around === null ? '' : (done.get(around) ?? '')
      const text = [kindOf(at), inside, ...before].join()
      done.set(at.id, createHash('sha256').update(text).digest('base64'))
      open.pop()
    }
  })
  return done
}
