import { type Cpu, withCpu } from '../cpu.ts'
import type { Floor } from '../floor/start.ts'
import { type FloorStatement, floorPath } from '../floor/statements.ts'
import type { AskedRequest } from '../load/connection.ts'
import type { LoadResult } from '../load/generator.ts'
import { generateLoad } from '../load/start.ts'
import type { BenchManager } from '../manager.ts'
import { deploymentId } from './deployments.ts'

export type RequestsResult = LoadResult & {
  readonly request: string
  readonly path: string
  /** Warm-up included, as in `cpu`. */
  readonly wholeSeconds: number
  readonly cpu: Cpu
  /** The same rows by a bare Fastify on the same database, measured right after it. */
  readonly floor: (LoadResult & { readonly cpu: Cpu }) | undefined
  readonly wanted: SecretRequest | undefined
}

/** What the reference answers a second on two cores, measured once with 4 connections, and how many times that we want. */
export type SecretRequest = { readonly referencePerSecond: number; readonly times: number }

/** Requests per second of common reads, on a manager that holds what the install benchmarks left. */
export async function benchRequests(
  manager: BenchManager,
  floor: Floor,
  options: LoadOptions,
): Promise<RequestsResult[]> {
  const { client } = manager
  const id = deploymentId(0)
  const { latest_execution: execution } = await client.deployments.get(id)
  const connections = 4
  const requests: readonly Asked[] = [
    { request: 'the version', connections: 16, path: '/version' },
    {
      request: 'a deployment by its id',
      connections,
      path: `/deployments/${id}`,
      floor: ['deployment by id', id],
      wanted: { referencePerSecond: 56, times: 80 },
    },
    {
      request: 'a page of 50 blueprints',
      connections,
      path: '/blueprints?_size=50',
      floor: ['blueprints', '50'],
      wanted: { referencePerSecond: 60, times: 60 },
    },
    {
      request: 'a page of 50 deployments',
      connections,
      path: '/deployments?_size=50',
      floor: ['deployments', '50'],
      wanted: { referencePerSecond: 9.4, times: 60 },
    },
    {
      request: 'a page of 1,000 deployments',
      connections,
      path: '/deployments?_size=1000',
      floor: ['deployments', '1000'],
      wanted: { referencePerSecond: 0.6, times: 40 },
    },
    {
      request: 'a page of 1,000 deployments, ids only',
      connections,
      path: '/deployments?_size=1000&_include=id',
      floor: ['ids of deployments', '1000'],
    },
    {
      request: 'the events of a three-node install',
      connections,
      path: `/events?execution_id=${execution}`,
      floor: ['events', String(execution), '1000'],
    },
  ]
  const results: RequestsResult[] = []
  for (const asked of requests) results.push(await measureRequest(manager, floor, options, asked))
  return results
}

export type LoadOptions = { readonly warmUpMs: number; readonly durationMs: number }

/** One request, again and again, on so many connections at once. */
export type Asked = Pick<AskedRequest, 'method' | 'body'> & {
  readonly request: string
  readonly connections: number
  readonly path: string
  /** The statement that answers the same rows, and its values. */
  readonly floor?: readonly [FloorStatement, ...string[]]
  readonly wanted?: SecretRequest
}

export async function measureRequest(
  manager: BenchManager,
  floor: Floor,
  { warmUpMs, durationMs }: LoadOptions,
  { request, connections, path, floor: floored, wanted, ...asked }: Asked,
): Promise<RequestsResult> {
  const { url, authorization, dataFolder } = manager
  const headers = {
    authorization,
    tenant: 'default_tenant',
    accept: 'application/json',
    'content-type': 'application/json',
  }
  const load = { warmUpMs, durationMs, connections, headers }
  const result = await withCpu(manager, () =>
    generateLoad({ ...load, url: `${url}/api/v3.1${path}`, ...asked }),
  )
  const least =
    floored === undefined
      ? undefined
      : await withCpu({ pid: floor.pid, dataFolder }, () =>
          generateLoad({ ...load, url: `${floor.url}${floorPath(...floored)}` }),
        )
  return { request, path, wholeSeconds: (warmUpMs + durationMs) / 1000, ...result, floor: least, wanted }
}
