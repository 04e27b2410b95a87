import { tieredBlueprint } from '../blueprints/tiers.ts'
import { uploadBlueprint } from '../blueprints/upload.ts'
import { type Cpu, withCpu } from '../cpu.ts'
import type { BenchManager } from '../manager.ts'
import { quantile, round } from '../statistics.ts'

type Pass = { readonly seconds: number; readonly perMinute: number; readonly cpu: Cpu }

export type EnvironmentsResult = {
  readonly children: number
  readonly clients: number
  /** Creations, each in the environment. */
  readonly created: Pass
  readonly executions: number
  /** Executions of children of the environment, and of deployments that are in none. */
  readonly inside: Pass
  readonly outside: Pass
  readonly requests: readonly { readonly request: string; readonly p50Ms: number; readonly p99Ms: number }[]
}

const environment = 'environment'
const blueprintId = 'one-node'

/** One environment with very many children: what a change of a child costs, and what reading costs. */
export async function benchEnvironments(
  manager: BenchManager,
  options: { readonly children: number; readonly executions: number; readonly clients: number },
): Promise<EnvironmentsResult> {
  const { client } = manager
  const { children, executions, clients } = options
  await uploadBlueprint(client, blueprintId, { 'blueprint.yaml': tieredBlueprint(1, 1, undefined) })
  const create = (id: string, labels: readonly (readonly [string, string])[] = []) =>
    client.deployments.create(id, { blueprintId, labels })
  await create(environment, [['csys-obj-type', 'environment']])
  const each = (count: number, act: (index: number) => Promise<unknown>) =>
    withCpu(manager, async () => {
      const startedAt = performance.now()
      await byMany(clients, count, act)
      const seconds = (performance.now() - startedAt) / 1000
      return { seconds: round(seconds, 1), perMinute: round((count * 60) / seconds) }
    })
  const install = async (id: string) => {
    const execution = await client.executions.start({ deploymentId: id, workflowId: 'install' })
    while ((await client.executions.get(execution.id)).ended_at === null) await pause(20)
  }
  const parent = [['csys-obj-parent', environment]] as const
  const created = await each(children, (index) => create(childId(index), parent))
  await byMany(clients, executions, (index) => create(`outside-${index}`))
  const outside = await each(executions, (index) => install(`outside-${index}`))
  const inside = await each(executions, (index) => install(childId(index)))
  const requests = await timed(manager)
  return { children, clients, created, executions, inside, outside, requests }
}

const childId = (index: number) => `child-${String(index).padStart(5, '0')}`
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function byMany(
  clients: number,
  count: number,
  act: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0
  const someOfThem = async () => {
    while (next < count) await act(next++)
  }
  await Promise.all(Array.from({ length: clients }, someOfThem))
}

const statuses = '_include=id,deployment_status,sub_services_count,sub_services_status'

async function timed({ client, url, authorization }: BenchManager): Promise<EnvironmentsResult['requests']> {
  const headers = { authorization, tenant: 'default_tenant', 'content-type': 'application/json' }
  const get = async (path: string) => {
    const answer = await fetch(`${url}/api/v3.1${path}`, { headers })
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
    await answer.arrayBuffer()
  }
  let turn = 0
  const relabel = () =>
    client.deployments.setLabels(childId(0), [
      ['csys-obj-parent', environment],
      ['csys-obj-type', turn++ % 2 === 0 ? 'environment' : 'service'],
    ])
  const cases: readonly (readonly [string, number, () => Promise<unknown>])[] = [
    ['the environment, its statuses', 100, () => get(`/deployments/${environment}?${statuses}`)],
    [
      'the environment, direct children only',
      20,
      () => get(`/deployments/${environment}?all_sub_deployments=false&${statuses}`),
    ],
    ['the environment with all its labels', 20, () => get(`/deployments/${environment}`)],
    ['a child becomes an environment or a service', 50, relabel],
    ['a page of 1,000 deployments', 10, () => get('/deployments?_size=1000&_offset=1')],
    [
      'a page of 1,000 deployments, statuses only',
      20,
      () => get(`/deployments?_size=1000&_offset=1&${statuses}`),
    ],
  ]
  const results: { request: string; p50Ms: number; p99Ms: number }[] = []
  for (const [request, times, act] of cases) {
    const took: number[] = []
    for (let time = 0; time < times; time += 1) {
      const startedAt = performance.now()
      await act()
      took.push(performance.now() - startedAt)
    }
    results.push({ request, p50Ms: round(quantile(took, 0.5), 1), p99Ms: round(quantile(took, 0.99), 1) })
  }
  return results
}
