import { randomUUID } from 'node:crypto'
import {
  type BuildInput,
  type BuildScope,
  buildLifecycleOf,
  buildScope,
  builtInMapping,
  builtInWorkflow,
  checkOrder,
  countedOperations,
  describedOperation,
  type ExecutionStore,
  each,
  type GraphOptions,
  type GraphOutcome,
  type GraphPhase,
  type JsonObject,
  type JsonValue,
  lifecycleRerun,
  newGraphRecord,
  type StoredGraph,
  type StoredOperation,
  type Work,
  WorkflowError,
} from '@tutti/engine'
import type { ExecutionRow } from '@tutti/storage'
import { checkRunnable } from '../executions/check-runnable.ts'
import { checkHeld, type ExecutionControl } from '../executions/control.ts'
import { inPieces } from '../executions/in-pieces.ts'
import { loadGraphs } from '../executions/queries.ts'
import { whileHeld } from '../executions/while-held.ts'
import type { WorkerServices } from '../services.ts'
import { type Alike, alikeRows, firstTries, kindOf } from './alike.ts'
import { bounds } from './bounds.ts'
import type { GraphHost, LiveGraph } from './graph-host.ts'
import type { Listener } from './listener.ts'
import type { Message } from './message.ts'

type SessionParts = {
  readonly services: WorkerServices
  readonly execution: ExecutionRow
  readonly control: ExecutionControl
  readonly store: ExecutionStore
  readonly host: GraphHost
  readonly listener: Listener
  /** Whether graphs may be stored already, by a process of this workflow before this one. */
  readonly isResumed: boolean
  /** Called with what went wrong that is not for the workflow to know, where nobody waits for what it has asked. */
  readonly fail: (error: unknown) => void
}

/** One process of a workflow: what it has described, and what it has asked for. */
export type Session = {
  /** @throws WorkflowError when that ends the process; what is wrong with a request is answered instead */
  hear(message: Message, bytes: number): Promise<void>
  /** The process has ended: nothing more is said to it. */
  close(): void
  /** Whether anything was asked for. */
  readonly isUsed: boolean
}

/** The graph of tasks that are started one by one. */
export const sequentialName = 'sequential'

export function createSession(parts: SessionParts): Session {
  const { services, execution, control, store, host, isResumed } = parts
  let isOver = false
  /** This process alone: the next one has asked for nothing of what this one waits for. */
  const listener: Listener = {
    send: (message) => isOver || parts.listener.send(message),
    room: () => parts.listener.room(),
  }
  const isDryRun = execution.is_dry_run
  let described: JsonValue[] = []
  let describedBytes = 0
  let isUsed = false
  /** Stored and not yet begun, by the id of the graph. */
  const kept = new Map<string, StoredGraph>()
  let graphs = 0
  let unnamed = 0
  /** Asked for and not yet answered. */
  let waiting = 0
  /** How often a lifecycle of that name was asked for. */
  const built = new Map<string, number>()
  /** Rows of graphs that the process was given, by the graph's id. */
  const given = new Map<string, ReadonlyMap<string, string>>()
  let deployment: Pick<BuildInput, 'model' | 'context'> | undefined
  let sequence: Sequence | undefined

  const held = <T>(work: () => Promise<T>) => whileHeld(services, control, work)

  async function readDeployment(): Promise<Pick<BuildInput, 'model' | 'context'>> {
    deployment = await held(() => store.readDeployment())
    scope = undefined
    return deployment
  }

  let scope: BuildScope | undefined
  async function scopeNow(): Promise<BuildScope> {
    scope ??= buildScope(deployment ?? (await readDeployment()))
    return scope
  }

  /** What was described since, as rows. */
  async function takeRows(known: ReadonlySet<string> = new Set()): Promise<readonly StoredOperation[]> {
    const tasks = described
    described = []
    describedBytes = 0
    const rows = await rowsOf(tasks).catch(async (error: unknown) => {
      if (!(error instanceof WorkflowError)) throw error
      // Instances may have come since they were read.
      await readDeployment()
      return rowsOf(tasks)
    })
    await inPieces(control, checkOrder(rows, known))
    return rows
  }

  async function rowsOf(tasks: readonly JsonValue[]): Promise<readonly StoredOperation[]> {
    const within = await scopeNow()
    const rows: StoredOperation[] = []
    await inPieces(
      control,
      each(tasks, (task) => rows.push(describedOperation(task, within))),
    )
    return rows
  }

  async function find(name: string): Promise<StoredGraph | undefined> {
    if (isDryRun) return undefined
    return (await held(() => loadGraphs(services.db, control.lease, name)))[0]
  }

  async function storeNew(name: string, operations: readonly StoredOperation[]): Promise<StoredGraph> {
    graphs += 1
    if (graphs > bounds.graphs) throw new WorkflowError(`A workflow may have ${bounds.graphs} graphs.`)
    const graph = { id: randomUUID(), name, record: newGraphRecord, operations }
    if (isDryRun) return graph
    const total = await inPieces(control, countedOperations(operations))
    await held(async () => {
      const stored = (await loadGraphs(services.db, control.lease, name))[0]
      // By the try before, whose answer got lost.
      if (stored?.id === graph.id) return
      if (stored !== undefined) throw new WorkflowError(`The execution has a graph ${name} already.`)
      await store.storeGraph(graph, total)
    })
    return graph
  }

  async function optionsOf(): Promise<Omit<GraphOptions, 'newId'>> {
    const read = deployment ?? (await readDeployment())
    return {
      waitAfterFailMs: execution.wait_after_fail * 1000,
      dryRun: isDryRun,
      rerunLifecycle: lifecycleRerun(read),
      asksHandlers: true,
      keepsResults: true,
    }
  }

  async function start(graph: StoredGraph, isTold: boolean): Promise<LiveGraph> {
    if (host.live.size >= bounds.running) {
      throw new WorkflowError(`A workflow may run ${bounds.running} graphs at the same time.`)
    }
    return host.start(graph, await optionsOf(), isTold)
  }

  /** The process hears of the end, whenever that is. */
  function answerAtEnd(id: number, live: LiveGraph, more: () => JsonObject = () => ({})): void {
    live.ended.then(
      (outcome) => listener.send({ re: id, end: ending(outcome), ...more() }),
      () => undefined,
    )
  }

  // ---- graphs that were described

  async function storeGraph(name: string): Promise<JsonObject> {
    const graph = await storeNew(name, await takeRows())
    kept.set(graph.id, graph)
    return { graph: graph.id }
  }

  /** As it stands, with what the process needs to go on describing it. */
  async function sendGraph(id: number, name: string): Promise<void> {
    const graph = isResumed || graphs > 0 ? await find(name) : undefined
    if (graph === undefined) return listener.send({ re: id, graph: null })
    for (let from = 0; from < graph.operations.length; from += 200) {
      await listener.room()
      listener.send({ of: id, rows: graph.operations.slice(from, from + 200) })
    }
    given.set(graph.id, new Map(graph.operations.map((row) => [row.id, row.id])))
    listener.send({ re: id, graph: graph.id })
  }

  async function runStored(message: Extract<Message, { do: 'run' }>, graphId: string): Promise<LiveGraph> {
    const running = host.live.get(graphId)
    if (running !== undefined) {
      const rows = await takeRows()
      if (rows.length > 0) running.report({ type: 'operations-added', operations: rows })
      return running
    }
    const graph = kept.get(graphId) ?? (await findById(graphId))
    kept.delete(graphId)
    const known = new Set(graph.operations.map(({ id }) => id))
    const added = await takeRows(known)
    return start(await changed(graph, added, message), true)
  }

  async function findById(graphId: string): Promise<StoredGraph> {
    const graph = (await held(() => loadGraphs(services.db, control.lease))).find(({ id }) => id === graphId)
    if (graph !== undefined) return graph
    throw new WorkflowError(`The execution has no graph ${graphId}.`)
  }

  /** What a workflow does to a graph between storing it and running it. */
  async function changed(
    graph: StoredGraph,
    added: readonly StoredOperation[],
    { wired, removed }: Pick<Extract<Message, { do: 'run' }>, 'wired' | 'removed'>,
  ): Promise<StoredGraph> {
    if (added.length === 0 && wired.size === 0 && removed.length === 0) return graph
    const gone = new Set(removed)
    const pending = new Set(graph.operations.flatMap(({ id, state }) => (state === 'pending' ? [id] : [])))
    const staying = graph.operations.filter(({ id }) => !gone.has(id) || !pending.has(id))
    const rewired = staying.map((row) => {
      const dependencies = pending.has(row.id) ? wired.get(row.id) : undefined
      return dependencies === undefined ? row : { ...row, dependencies }
    })
    const operations = [...rewired, ...added]
    await inPieces(control, checkOrder(operations, new Set()))
    const patched = rewired.filter((row, index) => row !== staying[index])
    if (!isDryRun) {
      await store.storeStep(graph.id, {
        inserted: added,
        patched: patched.map(({ id, state, parameters, dependencies }) => ({
          id,
          state,
          parameters,
          dependencies,
        })),
        removed: removed.filter((id) => pending.has(id)),
        nodeInstanceChanges: [],
        nodeInstanceStates: [],
        systemProperties: [],
        events: [],
        counters: { total: added.length, finished: 0 },
        record: null,
      })
    }
    return { ...graph, operations }
  }

  async function runUnnamed(): Promise<{ live: LiveGraph; names: ReadonlyMap<string, string> }> {
    const rows = await takeRows()
    unnamed += 1
    const name = `graph-${unnamed}`
    const stored = isResumed ? await find(name) : undefined
    const names =
      stored === undefined ? undefined : await inPieces(control, alikeRows(stored.operations, rows))
    if (stored !== undefined && names !== undefined) {
      return { live: host.live.get(stored.id) ?? (await start(stored, true)), names }
    }
    // What is described in another way now is another graph.
    const graph = await storeNew(stored === undefined ? name : `${name}-${randomUUID()}`, rows)
    return { live: await start(graph, true), names: new Map() }
  }

  // ---- one by one

  async function runOne(): Promise<void> {
    const [row, ...others] = await takeRows()
    if (row === undefined || others.length > 0) throw new WorkflowError('One task is started at a time.')
    sequence ??= await openSequence()
    const { live, stored } = sequence
    sequence.started += 1
    if (sequence.started > bounds.tasks) throw new WorkflowError(`A workflow may have ${bounds.tasks} tasks.`)
    const earlier = stored[sequence.started - 1]
    const isAlike = earlier !== undefined && kindOf(earlier) === kindOf(row)
    // From the first difference on, what was done before is not what is asked for now.
    if (!isAlike) stored.length = 0
    if (isAlike && !sequence.failed.has(earlier.id)) return live.name(earlier.id, row.id)
    if (!isAlike) return live.report({ type: 'operations-added', operations: [row] })
    live.name(row.id, row.id)
    const again = { ...row, parameters: { ...row.parameters, retried_task: sequence.last(earlier.id) } }
    live.report({ type: 'operations-added', operations: [again] })
  }

  type Sequence = {
    readonly live: LiveGraph
    /** First tries, in the order in which they were asked for. */
    readonly stored: StoredOperation[]
    readonly failed: ReadonlySet<string>
    /** The last try of what was first tried as that. */
    last(row: string): string
    started: number
  }

  async function openSequence(): Promise<Sequence> {
    const found = isResumed ? await find(sequentialName) : undefined
    const { firsts, failed, last } = found === undefined ? noTries : firstTries(found.operations)
    const graph = found ?? (await storeNew(sequentialName, []))
    const options = { ...(await optionsOf()), staysOpen: true }
    const live =
      host.live.get(graph.id) ?? (await host.start({ ...graph, record: newGraphRecord }, options, true))
    live.join(new Map())
    return { live, stored: [...firsts], failed, last, started: 0 }
  }

  // ---- the engine's own

  async function runBuilt(
    id: number,
    asked: string,
    build: (input: BuildInput) => Work<readonly StoredOperation[]>,
    mayStopHalfway: boolean,
  ): Promise<void> {
    const times = (built.get(asked) ?? 0) + 1
    built.set(asked, times)
    const name = times === 1 ? asked : `${asked}-${times}`
    const read = await readDeployment()
    const found = isResumed ? await find(name) : undefined
    let graph = found
    if (graph === undefined) {
      const operations = await inPieces(control, build({ ...read, newId: randomUUID }))
      if (!mayStopHalfway && !isDryRun) {
        await checkRunnable(services, execution, control, operations)
      }
      graph = await storeNew(name, operations)
    }
    const live = host.live.get(graph.id) ?? (await start(graph, false))
    const outcome = await live.ended.catch(() => undefined)
    if (outcome === undefined) return
    const after = await readDeployment()
    const states = Object.fromEntries(after.model.nodeInstances.map(({ id: one, state }) => [one, state]))
    listener.send({ re: id, end: ending(outcome), states })
  }

  async function runWorkflow(id: number, name: string, parameters: JsonObject): Promise<void> {
    const phases = builtInWorkflow(builtInMapping(name), name).phases(parameters)
    const graphPhases = phases.filter((phase): phase is GraphPhase => phase.kind === 'graph')
    const [phase, ...others] = graphPhases
    if (phase === undefined || graphPhases.length < phases.length || others.length > 0) {
      throw new WorkflowError(
        `Workflow ${name} with these parameters is more than a graph, so it cannot be part of another workflow: start it.`,
      )
    }
    await runBuilt(id, phase.name, phase.build, phase.mayStopHalfway === true)
  }

  // ---- what is said

  /** Answers what is wrong with the request; all else ends the process. */
  async function answering(id: number, work: () => Promise<JsonObject | undefined>): Promise<void> {
    isUsed = true
    try {
      checkHeld(control)
      const answer = await work()
      if (answer !== undefined) listener.send({ re: id, ...answer })
    } catch (error) {
      if (!(error instanceof WorkflowError)) throw error
      listener.send({ re: id, error: error.message })
    }
  }

  const hear = async (message: Message, bytes: number): Promise<void> => {
    switch (message.do) {
      case 'tasks':
        if (described.length + message.tasks.length > bounds.tasks) {
          throw new WorkflowError(`A graph may have ${bounds.tasks} tasks.`)
        }
        describedBytes += bytes
        if (describedBytes > bounds.describedBytes) {
          throw new WorkflowError(`A graph may be described in ${bounds.describedBytes / 2 ** 20} MiB.`)
        }
        for (const task of message.tasks) described.push(task)
        return
      case 'store':
        return answering(message.id, () => storeGraph(message.name))
      case 'get':
        return answering(message.id, async () => {
          await sendGraph(message.id, message.name)
          return undefined
        })
      case 'run':
        return answering(message.id, async () => {
          const { graph } = message
          const { live, names } =
            graph === null
              ? await runUnnamed()
              : { live: await runStored(message, graph), names: given.get(graph) ?? new Map() }
          await live.join(names)
          answerAtEnd(message.id, live)
          return undefined
        })
      case 'one':
        return answering(message.id, async () => {
          await runOne()
          return {}
        })
      case 'lifecycle':
      case 'workflow':
        if (waiting >= bounds.running) {
          throw new WorkflowError(`A workflow may run ${bounds.running} graphs at the same time.`)
        }
        waiting += 1
        // It takes its time, and others may be asked for meanwhile.
        later(
          answering(message.id, async () => {
            if (message.do === 'workflow') await runWorkflow(message.id, message.name, message.parameters)
            else {
              const isUninstall = message.lifecycle === 'uninstall'
              await runBuilt(
                message.id,
                message.name,
                (input) => buildLifecycleOf(message, input),
                isUninstall,
              )
            }
            return undefined
          }),
        )
        return
      case 'done': {
        const { row, outcome } = message
        const live = liveThatAwaits(row)
        live?.report({ type: 'operation-ended', operationId: row, atMs: services.now(), outcome })
        return
      }
      case 'answered': {
        const { row, answer } = message
        const live = liveThatAwaits(row)
        const rows = await takeRows()
        if (live === undefined) return
        const isAgain = answer.action === 'retry' && answer.again
        if (!isAgain && rows.length > 0) live.report({ type: 'operations-added', operations: rows })
        live.report({
          type: 'handler-answered',
          operationId: row,
          atMs: services.now(),
          answer: answer.action === 'retry' ? { ...answer, again: isAgain ? rows : [] } : answer,
        })
        return
      }
    }
  }

  const later = async (work: Promise<void>) => {
    try {
      await work
    } catch (error) {
      parts.fail(error)
    } finally {
      waiting -= 1
    }
  }

  const liveThatAwaits = (row: string) => [...host.live.values()].find((one) => one.awaits(row))

  return {
    hear,
    close() {
      isOver = true
    },
    get isUsed() {
      return isUsed
    },
  }
}

const noTries: Alike = { firsts: [], failed: new Set(), last: (row) => row }

const ending = (outcome: GraphOutcome): JsonObject =>
  outcome.status === 'failed' ? { status: 'failed', error: outcome.error } : { status: outcome.status }
