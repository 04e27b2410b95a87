import type { Event } from '@tutti/api'
import type { TourContext } from './tour-context.ts'

/** How events of lifecycle steps end that the blueprint implements with nothing: most of them, in a small example. */
const nothingToDo = ': nothing to do'

/** Runs a workflow and shows what it does while it does it. @throws Error when it does not succeed */
export async function runWorkflow(
  { client, reporter, signal }: TourContext,
  deploymentId: string,
  workflowId: string,
  options: {
    readonly force?: boolean
    readonly parameters?: Readonly<Record<string, unknown>>
    readonly isQuiet?: boolean
  } = {},
): Promise<void> {
  const { isQuiet = false, force = false, parameters = {} } = options
  const { id } = await client.executions.start({ deploymentId, workflowId, force, parameters })
  const show = (event: Event) => {
    if (event.message?.endsWith(nothingToDo) !== true) reporter.event(event)
  }
  const { status, error } = await client.executions
    .follow(id, { signal, ...(isQuiet ? {} : { onEvent: show, onExecution: reporter.progress }) })
    .finally(() => reporter.progress(undefined))
  if (status !== 'terminated') throw new Error(`${workflowId} of ${deploymentId} is ${status}: ${error}`)
  if (!isQuiet) reporter.result({ status }, `${workflowId} succeeded`)
}
