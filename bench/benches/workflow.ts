import type { Execution } from '@tutti/api'
import type { Client } from '@tutti/client'

const pollMs = 50

export const install = (client: Client, deploymentId: string): Promise<Execution> =>
  runToEnd(client, deploymentId, 'install')

/** Runs a workflow to its end, without reading its events meanwhile. @throws Error unless it succeeds */
export async function runToEnd(
  client: Client,
  deploymentId: string,
  workflowId: string,
  parameters: Readonly<Record<string, unknown>> = {},
): Promise<Execution> {
  const { id } = await client.executions.start({ deploymentId, workflowId, parameters })
  for (;;) {
    const execution = await client.executions.get(id)
    if (execution.status === 'terminated') return execution
    if (execution.status === 'failed' || execution.status === 'cancelled') {
      throw new Error(`${workflowId} of ${deploymentId} is ${execution.status}: ${execution.error}`)
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

/** Waits until so many executions of a workflow on deployments of a blueprint have succeeded. @throws Error when one fails */
export async function untilEnded(
  client: Client,
  executions: { readonly blueprint_id: string; readonly workflow_id: string },
  wanted: number,
): Promise<void> {
  const count = async (status: string) =>
    (await client.executions.list({ query: { ...executions, status, _size: 1 } })).metadata.pagination.total
  for (;;) {
    if ((await count('terminated')) === wanted) return
    const failed = await count('failed')
    if (failed > 0) throw new Error(`${failed} executions of ${executions.workflow_id} failed`)
    await new Promise((resolve) => setTimeout(resolve, 2 * pollMs))
  }
}
