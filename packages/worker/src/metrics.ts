import type { Registry } from '@tutti/storage'
import { Counter, Gauge, Histogram } from 'prom-client'

export type WorkerMetrics = ReturnType<typeof workerMetrics>

/** What a worker counts of its executions and operations; `running` says how many executions it holds. */
export function workerMetrics(metrics: Registry, running: () => number) {
  const registers = [metrics]
  new Gauge({
    name: 'tutti_executions_held',
    help: 'Executions whose lease this worker has',
    registers,
    collect() {
      this.set(running())
    },
  })
  return {
    executionsTaken: new Counter({
      name: 'tutti_executions_taken_total',
      help: 'Executions that this worker took, offered by the queue or from a worker that was lost',
      labelNames: ['from'],
      registers,
    }),
    executionsLeft: new Counter({
      name: 'tutti_executions_left_total',
      help: 'Executions that this worker left to another one, as it ended or their lease was over',
      registers,
    }),
    renewalsFailed: new Counter({
      name: 'tutti_lease_renewals_failed_total',
      help: 'Times that leases could not be renewed; they are renewed again long before they are over',
      registers,
    }),
    operationSeconds: new Histogram({
      name: 'tutti_operation_seconds',
      help: 'How long operations ran, without their wait for a turn',
      labelNames: ['executor', 'outcome'],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600, 3600],
      registers,
    }),
  }
}
