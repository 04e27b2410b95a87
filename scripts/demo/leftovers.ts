import { isEndStatus, isFinalBlueprintState } from '@tutti/api'
import { isNotFound } from '@tutti/client'
import type { TourContext } from './tour-context.ts'
import { runWorkflow } from './workflow.ts'

/** How long an execution of the killed run may go on before it is killed. */
const patienceMs = 10_000

/**
 * Takes away what a run left that was killed before its end. Its executions were not lost: the manager that has just
 * started goes on with them, so they are awaited first.
 */
export async function removeLeftovers(tour: TourContext, id: string): Promise<void> {
  const { client, reporter, signal } = tour
  const blueprint = await client.blueprints.get(id).catch(undefinedWhenNotFound)
  if (blueprint === undefined) return
  await reporter.step('Removing what an interrupted demo left', async () => {
    if ((await client.deployments.get(id).catch(undefinedWhenNotFound)) !== undefined) {
      await endExecutions(tour, id)
      await uninstall(tour, id)
      await client.deployments.delete(id, { force: true }).catch(undefinedWhenNotFound)
      await client.deployments.waitUntilDeleted(id, signal)
    }
    if (!isFinalBlueprintState(blueprint.state ?? '')) await client.blueprints.waitUntilUploaded(id, signal)
    await client.blueprints.delete(id, true)
  })
}

async function endExecutions({ client, signal }: TourContext, deploymentId: string): Promise<void> {
  const { items } = await client.executions.list({ query: { deployment_id: deploymentId } })
  for (const { id, status } of items) {
    if (isEndStatus(status)) continue
    const patience = AbortSignal.timeout(patienceMs)
    try {
      await client.executions.follow(id, { signal: AbortSignal.any([signal, patience]) })
    } catch (error) {
      if (isNotFound(error)) continue // it was the deployment's deletion
      if (!patience.aborted) throw error
      await client.executions.act(id, 'kill')
      await client.executions.follow(id, { signal })
    }
  }
}

async function uninstall(tour: TourContext, deploymentId: string): Promise<void> {
  const { items } = await tour.client.nodeInstances.list({ query: { deployment_id: deploymentId } })
  if (items.every(({ state }) => state === 'uninitialized' || state === 'deleted')) return
  await runWorkflow(tour, deploymentId, 'uninstall', {
    force: true,
    parameters: { ignore_failure: true },
    isQuiet: true,
  })
}

function undefinedWhenNotFound(error: unknown): undefined {
  if (isNotFound(error)) return undefined
  throw error
}
