import type { Client } from '@tutti/client'
import { expect } from 'vitest'
import type { Start } from './recorded-blueprint.ts'

/** Deployments of the blueprint `recorded`, installed. @param parents by id of each, the one that it is in */
export async function installEnvironment(
  client: Client,
  parents: ReadonlyMap<string, string | undefined>,
): Promise<void> {
  for (const [id, parent] of parents) {
    const labels = parent === undefined ? [] : [['csys-obj-parent', parent] as const]
    await client.deployments.create(id, { blueprintId: 'recorded', labels })
  }
  const installs = await Promise.all(
    [...parents.keys()].map((deploymentId) =>
      client.executions.start({ deploymentId, workflowId: 'install' }),
    ),
  )
  for (const { id } of installs) {
    expect((await client.executions.follow(id, { patienceMs: 60_000 })).status).toBe('terminated')
  }
}

/** The deployments that executions of the workflow are on, one entry for each execution. */
export async function deploymentsOf(
  client: Client,
  workflow_id: string,
): Promise<readonly (string | null)[]> {
  const ids: (string | null)[] = []
  for await (const execution of client.executions.iterate({ query: { workflow_id } })) {
    ids.push(execution.deployment_id)
  }
  return ids.sort()
}

/** @param parents by id of a deployment, the one that it is in */
export async function expectChildrenFirst(
  client: Client,
  starts: readonly Start[],
  parents: ReadonlyMap<string, string | undefined>,
): Promise<void> {
  const deploymentOf = new Map<string, string>()
  for await (const { id, deployment_id } of client.nodeInstances.iterate({}))
    deploymentOf.set(id, deployment_id)
  const order = starts.map(({ instanceId }) => deploymentOf.get(instanceId))
  for (const [child, parent] of parents) {
    if (parent !== undefined) expect(order.lastIndexOf(child)).toBeLessThan(order.indexOf(parent))
  }
}
