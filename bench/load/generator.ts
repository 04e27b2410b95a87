/** The second process of the request benchmark: its parent sends what to ask, it answers with what it measured. */
import { ownCpuSeconds } from '../cpu.ts'
import { quantile, round } from '../statistics.ts'
import { type AskedRequest, openLoadConnection } from './connection.ts'

export type LoadRequest = AskedRequest & {
  readonly connections: number
  readonly warmUpMs: number
  readonly durationMs: number
}

export type LoadResult = {
  readonly connections: number
  readonly requests: number
  /** The warm-up's as well: what processor time is divided by. */
  readonly allRequests: number
  readonly seconds: number
  readonly perSecond: number
  readonly bytesPerAnswer: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Processor time of this process, the warm-up included. */
  readonly cpuSeconds: number
  /** Answers other than 200. */
  readonly errors: number
}

process.on('message', async (request: LoadRequest) => {
  const result = await load(request)
  process.send?.(result, () => process.disconnect())
})

async function load(request: LoadRequest): Promise<LoadResult> {
  const { connections, warmUpMs, durationMs } = request
  const beginAt = performance.now() + warmUpMs
  const endAt = beginAt + durationMs
  const times: number[] = []
  let errors = 0
  let bytes = 0
  let allRequests = 0
  const one = async () => {
    const connection = await openLoadConnection(request)
    for (let now = performance.now(); now < endAt; ) {
      const answer = await connection.ask()
      const after = performance.now()
      allRequests += 1
      if (now >= beginAt && after <= endAt) {
        times.push(after - now)
        bytes += answer.bytes
        if (answer.status !== 200) errors += 1
      }
      now = after
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: connections }, one))
  return {
    connections,
    requests: times.length,
    allRequests,
    seconds: durationMs / 1000,
    perSecond: round(times.length / (durationMs / 1000)),
    bytesPerAnswer: Math.round(bytes / Math.max(1, times.length)),
    p50Ms: round(quantile(times, 0.5), 2),
    p99Ms: round(quantile(times, 0.99), 2),
    cpuSeconds: round(ownCpuSeconds(), 2),
    errors,
  }
}
