import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { createFairShares, type FairShares } from './fair-shares.ts'

export type { Registry } from 'prom-client'

/**
 * What this process tells Prometheus. Made once for each process; each part adds metrics of its own to it. Labels are of
 * the program only: never names of tenants, users or what is theirs, as whoever reads metrics need not see those.
 */
export function createMetrics(): Registry {
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })
  return metrics
}

type QueueMetrics = {
  readonly queues: Map<string, FairShares>
  readonly waited: Histogram<'queue'>
  readonly refused: Counter<'queue'>
}

const known = new WeakMap<Registry, QueueMetrics>()

function queueMetrics(metrics: Registry): QueueMetrics {
  const found = known.get(metrics)
  if (found !== undefined) return found
  const queues = new Map<string, FairShares>()
  const gauge = (name: string, help: string, of: (shares: FairShares) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['queue'],
      registers: [metrics],
      collect() {
        for (const [queue, shares] of queues) this.set({ queue }, of(shares))
      },
    })
  gauge('tutti_queue_waiting', 'How many wait for their turn', ({ waiting }) => waiting)
  gauge('tutti_queue_running', 'How many have their turn', ({ held }) => held)
  const made: QueueMetrics = {
    queues,
    waited: new Histogram({
      name: 'tutti_queue_wait_seconds',
      help: 'How long it took until the turn came',
      labelNames: ['queue'],
      buckets: [0.001, 0.01, 0.1, 0.5, 2, 10, 60, 600],
      registers: [metrics],
    }),
    refused: new Counter({
      name: 'tutti_queue_refused_total',
      help: 'How often too many waited already',
      labelNames: ['queue'],
      registers: [metrics],
    }),
  }
  known.set(metrics, made)
  return made
}

/** Fair shares that are measured under this name: how many wait, how many have their turn, how long it took. */
export function measuredShares(
  metrics: Registry,
  queue: string,
  { size, mostWaiting }: { readonly size: number; readonly mostWaiting: number },
): FairShares {
  const { queues, waited, refused } = queueMetrics(metrics)
  const shares = createFairShares({
    size,
    mostWaiting,
    now: () => performance.now(),
    onTurn: (waitedMs) => waited.observe({ queue }, waitedMs / 1000),
    onRefused: () => refused.inc({ queue }),
  })
  queues.set(queue, shares)
  return shares
}
