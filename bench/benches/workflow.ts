import type { Execution } from '@tutti/api'
import type { Client } from '@tutti/client'

const pollMs = 50

/** Runs the install workflow to its end, without reading its events meanwhile. @throws Error unless it succeeds */
export async function install(client: Client, deploymentId: string): Promise<Execution> {
  const { id } = await client.executions.start({ deploymentId, workflowId: 'install' })
  for (;;) {
    const execution = await client.executions.get(id)
    if (execution.status === 'terminated') return execution
    if (execution.status === 'failed' || execution.status === 'cancelled') {
      throw new Error(`install of ${deploymentId} is ${execution.status}: ${execution.error}`)
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}
