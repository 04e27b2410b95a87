import {
  type Commit,
  isTerminated,
  type JsonValue,
  type OperationError,
  type StoredOperation,
} from '@tutti/engine'
import type { Listener } from './listener.ts'

/** A process that is told how the tasks of a graph end, under the names that it has for them. */
export type Audience = {
  /** As the graph is stored before it begins. */
  begin(rows: readonly StoredOperation[]): void
  /** A step that is stored now. */
  tell(commit: Commit): void
  join(names: ReadonlyMap<string, string>): void
  leave(): void
  /** What the process calls a row, as it says now: it is told of its end if that was before. */
  name(row: string, task: string): void
  /** What the process calls the task that this row is a try of. */
  taskOf(row: string): string
  readonly isJoined: boolean
}

type End = { readonly state: string; readonly result: JsonValue; readonly error: OperationError | null }

/** Ends in one message. */
const batchSize = 500

export function createAudience(listener: Listener, isTold: boolean): Audience {
  /** By row, the one that it is another try of. */
  const tries = new Map<string, string>()
  /** By row, the next try of it. */
  const retried = new Map<string, string>()
  const ends = new Map<string, End>()
  let names = new Map<string, string>()
  let isJoined = false

  function taskOf(row: string): string {
    let at = row
    while (!names.has(at)) {
      const earlier = tries.get(at)
      if (earlier === undefined) break
      at = earlier
    }
    return names.get(at) ?? at
  }

  function noteTry({ id, parameters }: StoredOperation): void {
    if (parameters.retried_task === null) return
    tries.set(id, parameters.retried_task)
    retried.set(parameters.retried_task, id)
  }

  function noteEnd(
    row: string,
    state: string,
    parameters: StoredOperation['parameters'] | undefined,
  ): boolean {
    if (!isTerminated(state as StoredOperation['state']) || retried.has(row)) return false
    ends.set(row, {
      state,
      result: parameters?.result ?? null,
      // Of what was ignored nothing more is heard.
      error: parameters?.ignored === true ? null : (parameters?.error ?? null),
    })
    return true
  }

  function send(rows: readonly string[]): void {
    for (let from = 0; from < rows.length; from += batchSize) {
      const ended = rows.slice(from, from + batchSize).flatMap((row) => {
        const end = ends.get(row)
        return end === undefined ? [] : [[taskOf(row), end.state, end.result, end.error]]
      })
      listener.send({ ended })
    }
  }

  return {
    begin(rows) {
      for (const row of rows) noteTry(row)
      if (isTold) for (const { id, state, parameters } of rows) noteEnd(id, state, parameters)
    },
    tell({ inserted, patched }) {
      for (const row of inserted) noteTry(row)
      if (!isTold) return
      const ended = [...patched, ...inserted].filter(({ id, state, parameters }) =>
        noteEnd(id, state, parameters),
      )
      if (isJoined) send(ended.map(({ id }) => id))
    },
    join(given) {
      names = new Map(given)
      isJoined = true
      send([...ends.keys()].filter((row) => !retried.has(row)))
    },
    leave() {
      isJoined = false
    },
    name(row, task) {
      names.set(row, task)
      let last = row
      for (let at = retried.get(last); at !== undefined; at = retried.get(last)) last = at
      if (isJoined && ends.has(last)) send([last])
    },
    taskOf,
    get isJoined() {
      return isJoined
    },
  }
}
