import type { GraphEvent, OperationOutcome, StoredOperation } from '@tutti/engine'
import { type ExecutionRow, publicReason } from '@tutti/storage'
import {
  atOnce,
  type CloudifyContext,
  isNoSpace,
  logFileOf,
  nonRecoverable,
  noSpaceIn,
  type OperationRequest,
  operationUser,
  runOperation,
} from '../operations/index.ts'
import type { WorkerServices } from '../services.ts'
import type { ExecutionControl } from './control.ts'
import { inResources } from './in-resources.ts'
import { timeoutOf } from './operation-timeout.ts'
import { unbuiltOperation } from './refuse-unbuilt.ts'

/** The operations of one graph that are at work on this worker. */
export type OperationRunner = {
  start(operation: StoredOperation, resume: boolean): void
  kill(operationIds: readonly string[]): void
  /** `at once`: they may already be run again elsewhere. */
  killAll(how: 'gently' | 'at once'): void
  readonly running: number
  /** Resolves when none runs any more. */
  idle(): Promise<void>
}

/**
 * Runs operations side by side, each in a slot of the worker, and reports what becomes of them. Every `start` is
 * answered by one `operation-ended`, whatever happens to the process; only what this worker leaves to another one,
 * because it drains or has lost its lease, is not answered.
 */
export function createOperationRunner(
  services: WorkerServices,
  execution: ExecutionRow,
  control: ExecutionControl,
  token: string,
  report: (event: GraphEvent) => void,
): OperationRunner {
  const running = new Map<string, { readonly abort: AbortController; readonly done: Promise<void> }>()

  async function run(operation: StoredOperation, resume: boolean, abort: AbortController): Promise<void> {
    // Killed while it waits, it ends as killed below, without a slot.
    const leave = await services.slots.enter(execution.tenant_id, abort.signal).catch(() => undefined)
    try {
      if (control.isDraining || control.lost.aborted) return
      const startedAtMs = services.now()
      report({ type: 'operation-started', operationId: operation.id, atMs: startedAtMs })
      const outcome = await perform(services, execution, token, operation, resume, abort.signal)
      const isLeft = control.isOutOfTime && !outcome.ok && outcome.error.kind === 'killed'
      if (isLeft) return
      report({
        type: 'operation-ended',
        operationId: operation.id,
        atMs: services.now(),
        startedAtMs,
        outcome,
      })
    } finally {
      leave?.()
      running.delete(operation.id)
      control.wake()
    }
  }

  return {
    start(operation, resume) {
      const abort = new AbortController()
      running.set(operation.id, { abort, done: run(operation, resume, abort) })
    },
    kill(operationIds) {
      for (const id of operationIds) running.get(id)?.abort.abort()
    },
    killAll(how) {
      for (const { abort } of running.values()) abort.abort(how === 'at once' ? atOnce : undefined)
    },
    get running() {
      return running.size
    },
    async idle() {
      while (running.size > 0) await Promise.all([...running.values()].map(({ done }) => done))
    },
  }
}

async function perform(
  services: WorkerServices,
  execution: ExecutionRow,
  token: string,
  operation: StoredOperation,
  resume: boolean,
  signal: AbortSignal,
): Promise<OperationOutcome> {
  const { settings } = services
  if (operation.type !== 'RemoteWorkflowTask') {
    return nonRecoverable(
      `Tasks of type ${operation.type} are not built yet, so ${operation.name} cannot run`,
    )
  }
  const { __cloudify_context: stored, ...kwargs } = (operation.parameters.task_kwargs.kwargs ?? {}) as Kwargs
  if (stored === undefined) return nonRecoverable(`The stored task ${operation.name} has no context`)
  const unbuilt = unbuiltOperation(stored)
  if (unbuilt !== null) return nonRecoverable(unbuilt)
  const { manager } = settings.environment
  const context = {
    ...stored,
    task_id: operation.id,
    resume,
    operation: { ...(stored.operation as object), retry_number: operation.parameters.current_retries },
    rest_host: manager.hosts,
    rest_port: manager.port,
    rest_token: null,
    execution_token: token,
    bypass_maintenance: false,
  } as unknown as CloudifyContext
  try {
    const request: OperationRequest = {
      context,
      kwargs: kwargs as never,
      environment: settings.environment,
      workFolder: settings.workFolder,
      timeoutMs: timeoutOf(stored.timeout, settings.operationTimeoutMs),
      timeoutRecoverable: stored.timeout_recoverable !== false,
      logFile: logFileOf(settings.environment.logFolder, execution.tenant_id, execution.deployment_id),
      logLimits: settings.operationLogs,
      python: settings.python,
      user: operationUser(settings.operationUsers, execution.tenant_id),
      warn: (error, what) =>
        services.log.warn({ err: error, execution_id: execution.id, operation: operation.name }, what),
    }
    return await inResources(services, execution, signal, () => runOperation(request, signal))
  } catch (error) {
    if (isNoSpace(error)) return noSpaceIn(error, settings.dataFolder)
    services.log.error(
      { err: error, execution_id: execution.id, operation: operation.name },
      'operation not run',
    )
    return {
      ok: false,
      error: {
        kind: 'recoverable',
        type: 'RecoverableError',
        message: `The worker failed: ${publicReason(error)}`,
      },
    }
  }
}

type Kwargs = Readonly<Record<string, unknown>> & {
  readonly __cloudify_context?: Readonly<Record<string, unknown>>
}
