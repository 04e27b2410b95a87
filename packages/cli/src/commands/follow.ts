import type { Execution } from '@tutti/api'
import { type Client, ClientError } from '@tutti/client'
import type { Context } from '../context.ts'

/**
 * Follows an execution to its end with live progress. Ctrl-C stops following, not the execution. Returns the
 * exit code: 0 only when the execution terminated.
 */
export async function followToEnd(context: Context, client: Client, execution: Execution): Promise<number> {
  const ended = await followQuietly(context, client, execution.id)
  if (ended === undefined) {
    sayDetached(context, execution)
    return 1
  }
  const { workflow_id: workflow, deployment_id: deployment, status, error, id } = ended
  const where = deployment === null ? '' : ` of ${deployment}`
  if (status === 'terminated') {
    context.reporter.result(ended, `${workflow}${where} succeeded`)
    return 0
  }
  if (context.isJson) context.reporter.result(ended, '')
  const [summary = '', ...traceback] = error.split('\n')
  const reason = error === '' ? '' : `: ${summary}`
  const details = traceback.length === 0 ? '' : `  details:   tutti executions get ${id}\n`
  context.environment.stderr.write(
    `${workflow}${where} ${status === 'cancelled' ? 'was cancelled' : `failed${reason}`}\n` +
      `  execution: ${id}\n${details}  next:      tutti executions resume ${id}\n`,
  )
  return 1
}

/** The ended execution, or undefined when Ctrl-C came first. */
export async function followQuietly(
  { environment, reporter }: Context,
  client: Client,
  executionId: string,
): Promise<Execution | undefined> {
  const signal = environment.interruption()
  try {
    return await client.executions.follow(executionId, {
      signal,
      wait: environment.wait,
      onEvent: reporter.event,
      onExecution: reporter.progress,
      onConnectionLost: (error) => reporter.note(`${error.message}; trying again …`),
    })
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  } finally {
    reporter.progress(undefined)
  }
}

export function sayDetached({ environment }: Context, { id, workflow_id: workflow }: Execution): void {
  environment.stderr.write(
    `Detached: ${workflow} goes on without you.\n` +
      `  follow: tutti executions follow ${id}\n` +
      `  cancel: tutti executions cancel ${id}\n`,
  )
}

const creationCodes: readonly string[] = [
  'deployment_environment_creation_in_progress_error',
  'deployment_environment_creation_pending_error',
]

/**
 * Starts an execution. While the deployment is still being created the manager refuses; then the creation is
 * awaited first (docs/reference/executions.md, "Start").
 */
export async function startWhenCreated(
  context: Context,
  client: Client,
  start: () => Promise<Execution>,
  deploymentId: string,
): Promise<Execution> {
  try {
    return await start()
  } catch (error) {
    const isStillCreated = error instanceof ClientError && creationCodes.includes(error.code)
    if (!isStillCreated) throw error
    await awaitCreation(context, client, deploymentId)
    return start()
  }
}

/** Follows the execution that creates a deployment. @throws Error when it did not end well */
export async function awaitCreation(context: Context, client: Client, deploymentId: string): Promise<void> {
  const { create_execution: creation } = await client.deployments.get(deploymentId)
  if (creation === null) return
  const { environment } = context
  const ended = await client.executions.follow(creation, {
    signal: environment.interruption(),
    wait: environment.wait,
  })
  if (ended.status !== 'terminated') {
    throw new Error(`The deployment ${deploymentId} could not be created: ${ended.error}`)
  }
}
