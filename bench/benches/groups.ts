import { tieredBlueprint } from '../blueprints/tiers.ts'
import { uploadBlueprint } from '../blueprints/upload.ts'
import { type Cpu, withCpu } from '../cpu.ts'
import type { BenchManager } from '../manager.ts'
import { round } from '../statistics.ts'
import { untilEnded } from './workflow.ts'

type Pass = { readonly acceptedSeconds: number; readonly seconds: number; readonly cpu: Cpu }

export type GroupsResult = {
  readonly deployments: number
  readonly concurrency: number
  /** Accepted when the request was answered, and ended when the last deployment was there. */
  readonly created: Pass
  /** The install of the whole group. */
  readonly installed: Pass
  readonly installsPerMinute: number
}

const id = 'group'
const blueprintId = 'three-nodes-of-a-group'
const nodes = 3

/** A group of deployments of three nodes that implement nothing, made by one request and installed by another. */
export async function benchGroups(
  manager: BenchManager,
  { deployments, concurrency }: { readonly deployments: number; readonly concurrency: number },
): Promise<GroupsResult> {
  const { client } = manager
  await uploadBlueprint(client, blueprintId, { 'blueprint.yaml': tieredBlueprint(nodes, 1, undefined) })
  const pass = (begin: () => Promise<unknown>, workflow_id: string) =>
    withCpu(manager, async () => {
      const startedAt = performance.now()
      const secondsSoFar = () => round((performance.now() - startedAt) / 1000, 1)
      await begin()
      const acceptedSeconds = secondsSoFar()
      await untilEnded(client, { blueprint_id: blueprintId, workflow_id }, deployments)
      return { acceptedSeconds, seconds: secondsSoFar() }
    })
  const new_deployments = Array.from({ length: deployments }, () => ({}))
  const body = { blueprint_id: blueprintId, new_deployments }
  const created = await pass(
    () => client.call('deploymentGroups.put', { params: { group_id: id }, body }),
    'create_deployment_environment',
  )
  const installed = await pass(
    () =>
      client.call('executionGroups.start', {
        body: { deployment_group_id: id, workflow_id: 'install', concurrency },
      }),
    'install',
  )
  const installsPerMinute = round(deployments / (installed.seconds / 60))
  return { deployments, concurrency, created, installed, installsPerMinute }
}
