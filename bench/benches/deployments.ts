import { tieredBlueprint } from '../blueprints/tiers.ts'
import { uploadBlueprint } from '../blueprints/upload.ts'
import type { BenchManager } from '../manager.ts'
import { round } from '../statistics.ts'

export type DeploymentsResult = {
  readonly deployments: number
  readonly nodes: number
  /** Requests under way at any time. */
  readonly clients: number
  /** From the first request until the last deployment was created and its install accepted. */
  readonly acceptedSeconds: number
  /** Until the last install had ended. */
  readonly seconds: number
  readonly installsPerMinute: number
}

const blueprintId = 'three-nodes'

/** Creates deployments of three nodes that implement nothing, and installs each as soon as it is created. */
export async function benchDeployments(
  { client }: BenchManager,
  { deployments, clients }: { readonly deployments: number; readonly clients: number },
): Promise<DeploymentsResult> {
  const nodes = 3
  await uploadBlueprint(client, blueprintId, { 'blueprint.yaml': tieredBlueprint(nodes, 1, undefined) })
  const startedAt = performance.now()
  let next = 0
  const createSome = async () => {
    while (next < deployments) {
      const id = deploymentId(next)
      next += 1
      await client.deployments.create(id, { blueprintId })
      await client.executions.start({ deploymentId: id, workflowId: 'install' })
    }
  }
  await Promise.all(Array.from({ length: clients }, createSome))
  const acceptedAt = performance.now()
  await untilInstalled(client, deployments)
  const seconds = (performance.now() - startedAt) / 1000
  return {
    deployments,
    nodes,
    clients,
    acceptedSeconds: round((acceptedAt - startedAt) / 1000, 1),
    seconds: round(seconds, 1),
    installsPerMinute: round(deployments / (seconds / 60)),
  }
}

export const deploymentId = (index: number): string => `three-nodes-${String(index).padStart(4, '0')}`

async function untilInstalled(client: BenchManager['client'], wanted: number): Promise<void> {
  const count = async (status: string) => {
    const query = { blueprint_id: blueprintId, workflow_id: 'install', status, _size: 1 }
    return (await client.executions.list({ query })).metadata.pagination.total
  }
  for (;;) {
    if ((await count('terminated')) === wanted) return
    const failed = await count('failed')
    if (failed > 0) throw new Error(`${failed} installs failed`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
