import type { StoredOperation } from './stored-operation.ts'
import { each, type Work } from './work.ts'
import { WorkflowError } from './workflow.ts'

/**
 * Whether new rows can be a graph: ids once, containers before what is in them, and an order in which all of them can be
 * done. `known` are ids that are there already.
 *
 * @throws WorkflowError
 */
export function* checkOrder(rows: readonly StoredOperation[], known: ReadonlySet<string>): Work<void> {
  const byId = new Map<string, StoredOperation>()
  yield* each(rows, (row) => {
    const { containing_subgraph: outer } = row.parameters
    if (byId.has(row.id) || known.has(row.id)) throw refusal(row, 'it is there already')
    if (outer !== null && !known.has(outer) && byId.get(outer)?.type !== 'SubgraphTask') {
      throw refusal(row, `${outer} is no subgraph before it`)
    }
    byId.set(row.id, row)
  })
  const dependants = new Map<string, string[]>()
  const waiting = new Map<string, number>()
  const wait = (id: string, on: string) => {
    const others = dependants.get(on)
    if (others === undefined) dependants.set(on, [id])
    else others.push(id)
    waiting.set(id, (waiting.get(id) ?? 0) + 1)
  }
  // A subgraph begins before what is in it and ends after: what waits for it waits for all of that.
  const end = (id: string) => (byId.get(id)?.type === 'SubgraphTask' ? `${id} end` : id)
  yield* each(rows, ({ id, type, dependencies, parameters }) => {
    if (type === 'SubgraphTask') wait(`${id} end`, id)
    const outer = parameters.containing_subgraph
    if (outer !== null && byId.has(outer)) {
      wait(id, outer)
      wait(`${outer} end`, end(id))
    }
    for (const on of dependencies) if (byId.has(on)) wait(id, end(on))
  })
  const all = rows.flatMap(({ id }) => (end(id) === id ? [id] : [id, end(id)]))
  const ordered = all.filter((id) => !waiting.has(id))
  yield* each(ordered, (done) => {
    for (const id of dependants.get(done) ?? []) {
      const left = (waiting.get(id) ?? 0) - 1
      waiting.set(id, left)
      if (left === 0) ordered.push(id)
    }
  })
  if (ordered.length === all.length) return
  const done = new Set(ordered)
  const circle = rows.filter(({ id }) => !done.has(id)).map(({ name, id }) => `${name} (${id})`)
  throw new WorkflowError(
    `Tasks wait for each other in a circle: ${circle.slice(0, 5).join(', ')}${circle.length > 5 ? ', …' : ''}.`,
  )
}

const refusal = ({ name, id }: StoredOperation, why: string) =>
  new WorkflowError(`Task ${name} (${id}) cannot be placed: ${why}.`)
