import type { GraphPlan, PlanEdge, PlanPart, Step, SubgraphStep, TaskStep } from './step.ts'
import { isEmpty } from './step.ts'
import type { OperationParameters, StoredOperation } from './stored-operation.ts'
import { operationOf } from './task.ts'
import { each, type Work } from './work.ts'
import { WorkflowError } from './workflow.ts'

/**
 * Rows of a new graph (docs/reference/workflows.md, "Tasks graph"): empty subgraphs are left out and whoever waits for
 * one waits for what it waited for.
 *
 * @throws WorkflowError when parts wait for each other in a circle.
 */
export function* buildGraph(plan: GraphPlan, newId: () => string): Work<readonly StoredOperation[]> {
  const parts = new Map<string, OrderedPart>()
  const rows: StoredOperation[] = []
  const placed = new Map<string, PlacedPart>()
  yield* each(plan.parts, ({ key, step, waitsFor }) => {
    parts.set(key, { key, waitsFor })
    if (isEmpty(step)) return
    const start = rows.length
    const id = placeSubgraph(step, { container: null, after: [], rows, newId })
    placed.set(key, { id, start, end: rows.length })
  })
  const dependencies = new Map<string, readonly string[]>()
  yield* each(yield* inOrder(parts, placed, rows), (part) => {
    const own = placed.get(part.key)
    const found = new Set<string>()
    for (const edge of part.waitsFor) {
      for (const id of edgeIds(edge, placed, rows, dependencies)) found.add(id)
    }
    if (own !== undefined) setDependencies(rows, own.start, found)
    else dependencies.set(part.key, bundle(found, rows, newId))
  })
  return rows
}

/** A part once it is placed: its steps, which are several times what its rows are, are forgotten. */
type OrderedPart = Pick<PlanPart, 'key' | 'waitsFor'>

type PlacedPart = {
  readonly id: string
  /** Its rows are `rows[start]` (the subgraph) to `rows[end - 1]`. */
  readonly start: number
  readonly end: number
}

type Place = {
  readonly container: string | null
  readonly after: readonly string[]
  readonly rows: StoredOperation[]
  readonly newId: () => string
  /** Of the outermost subgraph only. */
  readonly retryOf?: { readonly id: string; readonly currentRetries: number }
}

/** Adds the subgraph and all that is in it; returns its id. */
export function placeSubgraph(step: SubgraphStep, place: Place): string {
  const { rows, newId, retryOf } = place
  const id = newId()
  rows.push({
    id,
    name: step.name,
    type: 'SubgraphTask',
    state: 'pending',
    dependencies: place.after,
    parameters: {
      ...noParameters,
      on_failure: step.onFailure ?? null,
      retried_task: retryOf?.id ?? null,
      current_retries: retryOf?.currentRetries ?? 0,
      total_retries: step.totalRetries ?? 0,
      send_task_events: true,
      containing_subgraph: place.container,
    },
  })
  placeSequence(step.steps, { container: id, after: [], rows, newId })
  return id
}

/** Returns the ids that the next element waits for; null when nothing was added. */
function placeStep(step: Step, place: Place): readonly string[] | null {
  switch (step.kind) {
    case 'task':
      return [placeTask(step, place)]
    case 'subgraph':
      return isEmpty(step) ? null : [placeSubgraph(step, place)]
    case 'sequence':
      return placeSequence(step.steps, place)
    case 'parallel': {
      const ends = step.steps.flatMap((branch) => placeStep(branch, place) ?? [])
      return ends.length === 0 ? null : ends
    }
  }
}

function placeSequence(steps: readonly Step[], place: Place): readonly string[] | null {
  let ends: readonly string[] | null = null
  for (const step of steps) ends = placeStep(step, { ...place, after: ends ?? place.after }) ?? ends
  return ends
}

function placeTask(step: TaskStep, { container, after, rows, newId }: Place): string {
  const id = newId()
  rows.push({
    id,
    name: step.name,
    type: step.type,
    state: 'pending',
    dependencies: after,
    parameters: {
      ...noParameters,
      on_success: step.onSuccess ?? null,
      on_failure: step.onFailure ?? null,
      total_retries: step.totalRetries ?? 0,
      retry_interval: step.retryInterval ?? 0,
      send_task_events: step.sendTaskEvents ?? false,
      info: step.info ?? null,
      containing_subgraph: container,
      task_kwargs: step.taskKwargs,
    },
  })
  return id
}

export const noParameters: OperationParameters = {
  on_success: null,
  on_failure: null,
  retried_task: null,
  current_retries: 0,
  total_retries: 0,
  retry_interval: 0,
  send_task_events: false,
  info: null,
  error: null,
  containing_subgraph: null,
  task_kwargs: {},
}

function edgeIds(
  edge: PlanEdge,
  placed: ReadonlyMap<string, PlacedPart>,
  rows: readonly StoredOperation[],
  emptyParts: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const target = placed.get(edge.key)
  if (edge.afterOperation !== undefined) {
    return target === undefined ? [] : idsAfterOperation(edge.afterOperation, target, rows)
  }
  return target === undefined ? (emptyParts.get(edge.key) ?? []) : [target.id]
}

/** The tasks directly after an operation of the part, or the operation itself where it is the last. */
function idsAfterOperation(
  operation: string,
  { start, end }: PlacedPart,
  rows: readonly StoredOperation[],
): readonly string[] {
  const within = rows.slice(start, end)
  const task = within.find((row) => operationOf(row.parameters).operation === operation)
  if (task === undefined) return []
  const next = within.filter((row) => row.dependencies.includes(task.id)).map((row) => row.id)
  return next.length === 0 ? [task.id] : next
}

/**
 * What an empty part hands on. From `bundleFrom` ids on it is one no-op row, or a hub between many
 * instances would multiply into the product of both sides' numbers.
 */
function bundle(ids: ReadonlySet<string>, rows: StoredOperation[], newId: () => string): readonly string[] {
  if (ids.size < bundleFrom) return [...ids]
  const id = newId()
  const [name, type] = ['NOP', 'NOPLocalWorkflowTask'] as const
  rows.push({ id, name, type, state: 'pending', dependencies: [...ids], parameters: noParameters })
  return [id]
}

const bundleFrom = 32

function setDependencies(rows: StoredOperation[], index: number, ids: ReadonlySet<string>): void {
  const row = rows[index]
  if (row !== undefined) rows[index] = { ...row, dependencies: [...ids] }
}

/** The parts so that each comes after those that it waits for. */
function* inOrder(
  parts: ReadonlyMap<string, OrderedPart>,
  placed: ReadonlyMap<string, PlacedPart>,
  rows: readonly StoredOperation[],
): Work<readonly OrderedPart[]> {
  const dependants = new Map<string, OrderedPart[]>()
  const waiting = new Map<string, number>()
  yield* each(parts.values(), (part) => {
    let count = 0
    for (const edge of part.waitsFor) {
      if (!parts.has(edge.key)) continue
      if (edge.afterOperation !== undefined && edgeIds(edge, placed, rows, new Map()).length === 0) continue
      const others = dependants.get(edge.key)
      if (others === undefined) dependants.set(edge.key, [part])
      else others.push(part)
      count += 1
    }
    waiting.set(part.key, count)
  })
  const ordered = [...parts.values()].filter((part) => waiting.get(part.key) === 0)
  yield* each(ordered, (part) => {
    for (const dependant of dependants.get(part.key) ?? []) {
      const left = (waiting.get(dependant.key) ?? 0) - 1
      waiting.set(dependant.key, left)
      if (left === 0) ordered.push(dependant)
    }
  })
  if (ordered.length === parts.size) return ordered
  const done = new Set(ordered)
  const circle = [...parts.values()].filter((part) => !done.has(part)).map((part) => part.key)
  throw new WorkflowError(
    `No order can be found: ${circle.length} node instances wait for each other in a circle through their ` +
      `relationships (${circle.slice(0, 5).join(', ')}${circle.length > 5 ? ', …' : ''}). ` +
      'Remove one of these relationships.',
  )
}
