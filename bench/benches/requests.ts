import { type Cpu, withCpu } from '../cpu.ts'
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
export async function benchRequests(
  manager: BenchManager,
  options: { readonly warmUpMs: number; readonly durationMs: number },
): Promise<RequestsResult[]> {
  const { client, url, authorization } = manager
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
    const headers = { authorization, tenant: 'default_tenant', accept: 'application/json' }
    const result = await withCpu(manager, () =>
      generateLoad({ ...options, connections, url: `${url}/api/v3.1${path}`, headers }),
    )
    results.push({ request, path, wholeSeconds: (options.warmUpMs + options.durationMs) / 1000, ...result })
  }
  return results
}
