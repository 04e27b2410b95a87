import type { Registry } from '@tutti/storage'
import { Counter, Gauge, Histogram } from 'prom-client'

export type CoordinatorMetrics = ReturnType<typeof coordinatorMetrics>

export function coordinatorMetrics(metrics: Registry) {
  const registers = [metrics]
  const labelNames = ['job'] as const
  const ofTables = (name: string, help: string) =>
    new Gauge({ name: `tutti_table_${name}`, help, labelNames: ['table'], registers })
  return {
    tables: {
      bytes: ofTables('bytes', 'What a table of the database takes, with its indexes'),
      rows: ofTables('rows', 'How many rows a table of the database has, as the server estimates'),
      inserted: ofTables('rows_inserted', 'Rows inserted since the statistics of the database were reset'),
    },
    leads: new Gauge({
      name: 'tutti_coordinator_leads',
      help: 'Whether this process is the one that does the periodic jobs',
      registers,
    }),
    seconds: new Histogram({
      name: 'tutti_coordinator_job_seconds',
      help: 'How long periodic jobs took',
      labelNames,
      buckets: [0.01, 0.1, 1, 5, 20, 60],
      registers,
    }),
    done: new Counter({
      name: 'tutti_coordinator_done_total',
      help: 'What periodic jobs did: archives, jobs of the queue and others deleted',
      labelNames,
      registers,
    }),
    failures: new Counter({
      name: 'tutti_coordinator_failures_total',
      help: 'Periodic jobs that failed',
      labelNames,
      registers,
    }),
    lastSuccess: new Gauge({
      name: 'tutti_coordinator_last_success_timestamp_seconds',
      help: 'When a periodic job last came to its end',
      labelNames,
      registers,
    }),
  }
}
