import { randomUUID } from 'node:crypto'
import {
  type JsonObject,
  type OperationOutcome,
  type PreparedResume,
  prepareResume,
  Stopped,
  type StoredGraph,
  type WorkflowEnd,
  WorkflowError,
  type WorkflowMapping,
  type WorkflowRun,
} from '@tutti/engine'
import type { ExecutionRow } from '@tutti/storage'
import type { ExecutionControl } from '../executions/control.ts'
import { createExecutionStore, operationContext } from '../executions/execution-store.ts'
import { inPieces } from '../executions/in-pieces.ts'
import { loadGraphs } from '../executions/queries.ts'
import { whileHeld } from '../executions/while-held.ts'
import { inResources } from '../executors/in-resources.ts'
import {
  atOnce,
  type CloudifyContext,
  type Exit,
  logFileOf,
  type OperationRequest,
  operationUser,
  runOperation,
  type StartProcess,
} from '../operations/index.ts'
import { type PluginEnvironment, PluginInstallationError, usedPlugin } from '../plugins/index.ts'
import type { WorkerServices } from '../services.ts'
import { type Channel, openChannel, socketName } from './channel.ts'
import { createGraphHost } from './graph-host.ts'
import type { Listener } from './listener.ts'
import { parseMessage } from './message.ts'
import { readWorkflowPlugin } from './plugin-queries.ts'
import { createSession, sequentialName } from './session.ts'

/** Processes in a row that were killed before they asked for anything; then it is no chance. */
const mostUnused = 3

/** Of one execution on one worker: what crashes again and again at the same place is not begun for ever. */
const mostDeaths = 20

/**
 * Runs a workflow that is a function in Python (docs/decisions/2026-11-22-python-workflows.md), from wherever it is
 * stored to its end.
 *
 * @throws Stopped, LeaseLost when it is left to another worker
 */
export async function runPythonWorkflow(
  services: WorkerServices,
  execution: ExecutionRow,
  control: ExecutionControl,
  token: string,
  mapping: WorkflowMapping,
): Promise<WorkflowRun> {
  const store = createExecutionStore(services, execution, control)
  const nobody: Listener = { send: () => {}, room: async () => {} }
  let channel: Listener = nobody
  const listener: Listener = { send: (message) => channel.send(message), room: () => channel.room() }
  if (execution.resume_mode !== null) await applyResume(services, execution, control, execution.resume_mode)
  const host = createGraphHost(services, execution, control, token, store, listener)
  // Whoever had it before may have begun with it.
  let isResumed = execution.resume || execution.status !== 'pending'
  let deaths = 0
  let unused = 0
  try {
    for (;;) {
      const ended = await runProcess()
      if (ended.kind === 'broken') throw ended.error
      if (ended.kind === 'ended') return await end(ended.end)
      deaths += 1
      unused = ended.isUsed ? 0 : unused + 1
      if (unused >= mostUnused || deaths >= mostDeaths) {
        return await end({
          status: 'failed',
          error: `The process of the workflow was killed ${deaths} times`,
        })
      }
      services.log.info(
        { execution_id: execution.id },
        'the process of a workflow was killed; another one is started',
      )
      isResumed = true
    }
  } catch (error) {
    host.stop('kill')
    await host.rest()
    await host.left?.drop()
    host.close()
    throw error
  }

  /** Once all of its graphs have ended; what they have sent is waited for, unless it was cancelled. */
  async function end(how: WorkflowEnd): Promise<WorkflowRun> {
    if (how.status !== 'succeeded') host.stop('cancel')
    // Sequential tasks are all that there will be, also those that an earlier process has asked for.
    else for (const live of host.live.values()) live.report({ type: 'closed' })
    await host.rest()
    const { left } = host
    if (how.status !== 'cancelled') await left?.done
    if (how.status !== 'cancelled' || left === null) {
      host.close()
      return { end: how, left: null }
    }
    left.done.then(host.close, host.close)
    return { end: how, left }
  }

  type Ended =
    | { readonly kind: 'ended'; readonly end: WorkflowEnd }
    | { readonly kind: 'killed'; readonly isUsed: boolean }
    /** Something of this worker, or of its hold on the execution. */
    | { readonly kind: 'broken'; readonly error: unknown }

  async function runProcess(): Promise<Ended> {
    const session = createSession({ services, execution, control, store, host, listener, isResumed })
    const abort = new AbortController()
    let failure: { readonly error: unknown } | undefined
    let said: string | undefined
    let told: string | null = null
    let exit: Exit | undefined
    let opened: Channel | undefined

    const fail = (error: unknown) => {
      failure ??= { error }
      abort.abort(control.lost.aborted ? atOnce : undefined)
    }
    const look = () => {
      if (control.lost.aborted) fail(control.lost.reason)
      else if (control.isOutOfTime || (control.isDraining && host.live.size === 0)) {
        fail(new Stopped('this worker drains'))
      }
      const mode = control.cancelMode
      if (mode === null || mode === told) return
      told = mode
      opened?.send({ cancel: mode })
      // Without waiting for the workflow's own code.
      if (mode !== 'cancel') abort.abort()
    }
    const unlook = host.onWake(look)
    host.onFailure(fail)

    async function hear(line: string): Promise<void> {
      let message: ReturnType<typeof parseMessage>
      try {
        message = parseMessage(line)
      } catch (error) {
        said = `The process of the workflow said what is no message: ${(error as Error).message}`
        abort.abort()
        return
      }
      try {
        await session.hear(message, line.length)
      } catch (error) {
        if (!(error instanceof WorkflowError)) fail(error)
        else {
          said = error.message
          abort.abort()
        }
        throw error
      }
    }

    /** The process finds the channel in its folder. */
    const start: StartProcess = async (request, folder, stopped) => {
      opened = await openChannel(folder, request.user, hear)
      opened.gone.then((why) => {
        if (why === undefined) return
        said ??= `The channel of the workflow was closed: ${why}`
        abort.abort()
      })
      channel = opened
      look()
      const process = await services.startPython(request, folder, stopped)
      process.exit.then((how) => {
        exit = how
      })
      return process
    }

    try {
      look()
      const request = await requestOf(abort.signal)
      const outcome = await runOperation(request, start, abort.signal)
      if (failure !== undefined) return { kind: 'broken', error: failure.error }
      if (said !== undefined) return { kind: 'ended', end: { status: 'failed', error: said } }
      if (abort.signal.aborted) return { kind: 'ended', end: { status: 'cancelled' } }
      if (isKilled(exit, outcome)) return { kind: 'killed', isUsed: session.isUsed }
      return { kind: 'ended', end: endOf(outcome) }
    } catch (error) {
      if (failure === undefined && abort.signal.aborted)
        return { kind: 'ended', end: { status: 'cancelled' } }
      if (error instanceof PluginInstallationError) {
        return { kind: 'ended', end: { status: 'failed', error: error.message } }
      }
      return { kind: 'broken', error: failure?.error ?? error }
    } finally {
      unlook()
      session.close()
      opened?.close()
      channel = nobody
      for (const live of host.live.values()) live.leave()
    }
  }

  /** What Python runs the workflow with: that of its plugin, installed first unless it is there. */
  async function environmentOf(
    signal: AbortSignal,
  ): Promise<PluginEnvironment & { readonly plugin: JsonObject }> {
    const listed = await whileHeld(services, control, () =>
      readWorkflowPlugin(services.db, execution, mapping.plugin),
    )
    const plugin = listed ?? { name: mapping.plugin, install: false }
    const used = usedPlugin(plugin)
    const find = () => services.plugins.environmentOf(used, execution, signal)
    if (used.source === null) return { plugin, ...(await find()) }
    // It is made of the blueprint's files, which are laid out for it.
    let found: PluginEnvironment | undefined
    await inResources(services, execution, signal, async () => {
      found = await find()
      return { ok: true, result: null }
    })
    signal.throwIfAborted()
    if (found === undefined) throw new Error('the files of the blueprint were not laid out')
    return { plugin, ...found }
  }

  async function requestOf(signal: AbortSignal): Promise<OperationRequest> {
    const { settings } = services
    const { environment } = settings
    const { manager } = environment
    const { python, plugin, found } = await environmentOf(signal)
    const known = await whileHeld(services, control, () => operationContext(services, execution))
    const context: CloudifyContext = {
      ...known,
      version: '0.3',
      type: 'workflow',
      task_id: execution.id,
      task_name: mapping.operation,
      task_target: 'cloudify.management',
      task_queue: 'cloudify.management',
      plugin: { ...plugin, name: mapping.plugin, ...found },
      dry_run: execution.is_dry_run,
      is_system_workflow: false,
      wait_after_fail: execution.wait_after_fail,
      resume: isResumed,
      workflow_channel: socketName,
      task_retries: services.config.get('task_retries'),
      task_retry_interval: services.config.get('task_retry_interval'),
      subgraph_retries: services.config.get('subgraph_retries'),
      rest_host: manager.hosts,
      rest_port: manager.port,
      rest_token: null,
      execution_token: token,
      bypass_maintenance: false,
    }
    return {
      context,
      kwargs: execution.parameters as JsonObject,
      environment,
      workFolder: settings.workFolder,
      timeLimit: { ms: null, isRecoverable: false },
      logFile: logFileOf(environment.logFolder, execution.tenant_id, execution.deployment_id),
      logLimits: settings.operationLogs,
      python,
      user: operationUser(settings.operationUsers, execution.tenant_id),
      // What a workflow says comes over its channel.
      said: () => {},
      warn: (error, what) => services.log.warn({ err: error, execution_id: execution.id }, what),
    }
  }
}

/** Not by its own doing, and without an answer. */
const isKilled = (exit: Exit | undefined, outcome: OperationOutcome) =>
  exit?.kind === 'signalled' && !outcome.ok && outcome.error.causes === undefined

const cancelledResult = 'execution_cancelled'

function endOf(outcome: OperationOutcome): WorkflowEnd {
  if (outcome.ok) return { status: outcome.result === cancelledResult ? 'cancelled' : 'succeeded' }
  const { type, message, traceback } = outcome.error
  if (type === 'ExecutionCancelled') return { status: 'cancelled' }
  return { status: 'failed', error: traceback ?? message, message }
}

/** Once for each request: what failed is reset, of all graphs but those of tasks that were started one by one. */
async function applyResume(
  services: WorkerServices,
  execution: ExecutionRow,
  control: ExecutionControl,
  mode: 'resume' | 'force-resume',
): Promise<void> {
  const store = createExecutionStore(services, execution, control)
  const graphs = await whileHeld(services, control, () => loadGraphs(services.db, control.lease))
  const deployment = await whileHeld(services, control, () => store.readDeployment())
  const prepared = new Map<string, PreparedResume>()
  for (const graph of graphs) {
    if (graph.name === sequentialName) continue
    const cleanup = installs(graph) ? { ...deployment, newId: randomUUID } : null
    prepared.set(graph.id, await inPieces(control, prepareResume(graph.operations, mode, cleanup)))
  }
  await store.storeResume(prepared)
}

/** Built by the engine, as an installation: what is half done is undone first. */
const installs = ({ operations }: StoredGraph) =>
  operations.some(
    ({ parameters: { on_failure } }) =>
      on_failure?.path === 'rerun_lifecycle' &&
      'lifecycle' in on_failure &&
      on_failure.lifecycle === 'install',
  )
