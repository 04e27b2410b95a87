import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { Pool } from 'pg'
import { Gauge, Histogram, type Registry } from 'prom-client'

/** What is counted of one pool of a process; `measured` is to wrap what its statements go through. */
export function measureDatabase(metrics: Registry, pool: Pool) {
  const registers = [metrics]
  new Gauge({
    name: 'tutti_database_connections',
    help: 'Open connections to the database, by state',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'idle' }, pool.idleCount)
      this.set({ state: 'in_use' }, pool.totalCount - pool.idleCount)
    },
  })
  new Gauge({
    name: 'tutti_database_connections_waiting',
    help: 'How many wait for a connection to the database',
    registers,
    collect() {
      this.set(pool.waitingCount)
    },
  })
  const waited = new Histogram({
    name: 'tutti_database_connection_wait_seconds',
    help: 'How long it took until a connection was free',
    buckets: [0.001, 0.01, 0.1, 0.5, 2, 15],
    registers,
  })
  const statements = new Histogram({
    name: 'tutti_database_statement_seconds',
    help: 'How long statements took, from being sent to their last row',
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 15, 60],
    registers,
  })
  const since = (startedMs: number) => (performance.now() - startedMs) / 1_000

  return (measured: PostgresPool): PostgresPool => ({
    options: measured.options,
    end: () => measured.end(),
    async connect() {
      const askedMs = performance.now()
      const client = await measured.connect()
      waited.observe(since(askedMs))
      const run = client.query as (text: string, values: readonly unknown[]) => Promise<unknown>
      const query = async (text: string, values: readonly unknown[]) => {
        const startedMs = performance.now()
        try {
          return await run(text, values)
        } finally {
          statements.observe(since(startedMs))
        }
      }
      return { query: query as PostgresPoolClient['query'], release: (destroy) => client.release(destroy) }
    },
  })
}
