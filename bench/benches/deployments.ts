import type { Client } from '@tutti/client'
import { tieredBlueprint } from '../blueprints/tiers.ts'
import { uploadBlueprint } from '../blueprints/upload.ts'
import { type Cpu, withCpu } from '../cpu.ts'
import type { BenchManager } from '../manager.ts'
import { round } from '../statistics.ts'
import { untilEnded } from './workflow.ts'

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
  readonly cpu: Cpu
}

const blueprintId = 'three-nodes'

/** Creates deployments of three nodes that implement nothing, and installs each as soon as it is created. */
export async function benchDeployments(
  manager: BenchManager,
  { deployments, clients }: { readonly deployments: number; readonly clients: number },
): Promise<DeploymentsResult> {
  const { client } = manager
  await uploadBlueprint(client, blueprintId, { 'blueprint.yaml': tieredBlueprint(nodes, 1, undefined) })
  const { acceptedSeconds, seconds, cpu } = await withCpu(manager, async () => {
    const startedAt = performance.now()
    const secondsSoFar = () => round((performance.now() - startedAt) / 1000, 1)
    await createAndInstall(client, deployments, clients)
    const accepted = secondsSoFar()
    await untilEnded(client, { blueprint_id: blueprintId, workflow_id: 'install' }, deployments)
    return { acceptedSeconds: accepted, seconds: secondsSoFar() }
  })
  const installsPerMinute = round(deployments / (seconds / 60))
  return { deployments, nodes, clients, acceptedSeconds, seconds, installsPerMinute, cpu }
}

const nodes = 3

async function createAndInstall(client: Client, deployments: number, clients: number): Promise<void> {
  let next = 0
  const someOfThem = async () => {
    while (next < deployments) {
      const id = deploymentId(next)
      next += 1
      await client.deployments.create(id, { blueprintId })
      await client.executions.start({ deploymentId: id, workflowId: 'install' })
    }
  }
  await Promise.all(Array.from({ length: clients }, someOfThem))
}

export const deploymentId = (index: number): string => `three-nodes-${String(index).padStart(4, '0')}`
