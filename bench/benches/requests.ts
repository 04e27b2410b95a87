import { type Cpu, withCpu } from '../cpu.ts'
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
}

/** Requests per second of common reads, on a manager that holds what the install benchmarks left. */
export async function benchRequests(manager: BenchManager, options: LoadOptions): Promise<RequestsResult[]> {
  const { client } = manager
  const id = deploymentId(0)
  const { latest_execution: execution } = await client.deployments.get(id)
  const requests = [
    ['the version', 16, '/version'],
    ['a deployment by its id', 16, `/deployments/${id}`],
    // 10 MB each: more at once would only wait for each other.
    ['a page of 1,000 deployments', 2, '/deployments?_size=1000'],
    ['a page of 1,000 deployments, ids only', 16, '/deployments?_size=1000&_include=id'],
    ['the events of a three-node install', 16, `/events?execution_id=${execution}`],
  ] as const
  const results: RequestsResult[] = []
  for (const [request, connections, path] of requests) {
    results.push(await measureRequest(manager, options, { request, connections, path }))
  }
  return results
}

export type LoadOptions = { readonly warmUpMs: number; readonly durationMs: number }

/** One request, again and again, on so many connections at once. */
export async function measureRequest(
  manager: BenchManager,
  { warmUpMs, durationMs }: LoadOptions,
  {
    request,
    connections,
    path,
    ...asked
  }: Pick<AskedRequest, 'method' | 'body'> & {
    readonly request: string
    readonly connections: number
    readonly path: string
  },
): Promise<RequestsResult> {
  const { url, authorization } = manager
  const headers = {
    authorization,
    tenant: 'default_tenant',
    accept: 'application/json',
    'content-type': 'application/json',
  }
  const result = await withCpu(manager, () =>
    generateLoad({ warmUpMs, durationMs, connections, url: `${url}/api/v3.1${path}`, headers, ...asked }),
  )
  return { request, path, wholeSeconds: (warmUpMs + durationMs) / 1000, ...result }
}
