import {
  type ExecutionJob,
  findAbandoned,
  type Notification,
  releaseLeases,
  renewLeases,
  takeLease,
} from '@tutti/storage'
import { cancelModeOf, type ExecutionControl, newControl } from './executions/control.ts'
import { runExecution } from './executions/run-execution.ts'
import type { WorkerServices } from './services.ts'

/** The executions that this worker holds. */
export type Claims = {
  /** Takes what is still to be had of these; the runs go on by themselves. */
  take(jobs: readonly ExecutionJob[]): Promise<void>
  onNotification(notification: Notification): void
  readonly running: number
  /** Lets what runs come to a rest, gives everything back and stops. */
  drain(): Promise<void>
}

/** A third of the lease: two renewals may fail before anything is lost. */
const renewalsPerLease = 3

export function createClaims(services: WorkerServices): Claims {
  const { db, settings, log } = services
  const held = new Map<string, { readonly control: ExecutionControl; readonly done: Promise<void> }>()
  let isDraining = false
  const keyOf = (tenantId: number, executionId: string) => `${tenantId}/${executionId}`

  async function takeOne(job: ExecutionJob): Promise<void> {
    const key = keyOf(job.tenantId, job.executionId)
    if (isDraining || held.has(key)) return
    const row = await takeLease(db, job, settings.owner, settings.leaseMs)
    if (row === undefined) return
    const control = newControl({ ...job, fence: row.lease_fence })
    const done = runExecution(services, row, control).finally(() => {
      if (held.get(key)?.control === control) held.delete(key)
    })
    held.set(key, { control, done })
  }

  async function renew(): Promise<void> {
    // Only what runs: an execution whose run was interrupted is left for whoever finds it abandoned.
    // What is taken while the answer is on its way was not asked about, and says nothing by being absent from it.
    const asked = [...held]
    const ids = asked.map(([, { control }]) => control.lease.executionId)
    const rows = await renewLeases(db, settings.owner, ids, settings.leaseMs)
    const still = new Map(rows.map((row) => [keyOf(row.tenant_id, row.id), row]))
    for (const [key, { control }] of asked) {
      const row = still.get(key)
      // Ended between two steps, or taken by another worker: either way there is nothing more to do here.
      if (row === undefined || row.lease_fence !== control.lease.fence) control.isLost = true
      else control.cancelMode = cancelModeOf(row.status) ?? control.cancelMode
      control.wake()
    }
  }

  async function sweep(): Promise<void> {
    const jobs = await findAbandoned(db, 100)
    if (jobs.length > 0) log.info({ count: jobs.length }, 'taking over executions that no worker holds')
    for (const job of jobs) await takeOne(job)
  }

  const timer = setInterval(async () => {
    try {
      await renew()
      if (!isDraining) await sweep()
    } catch (error) {
      log.warn({ err: error }, 'leases could not be renewed')
    }
  }, settings.leaseMs / renewalsPerLease)

  return {
    async take(jobs) {
      await Promise.all(jobs.map(takeOne))
    },

    onNotification(notification) {
      if (notification.kind !== 'execution_cancel') return
      if (held.has(keyOf(notification.tenantId, notification.executionId))) {
        void renew().catch((error) => log.warn({ err: error }, 'a cancel request could not be read yet'))
      }
    },

    get running() {
      return held.size
    },

    async drain() {
      isDraining = true
      for (const { control } of held.values()) {
        control.isDraining = true
        control.wake()
      }
      const late = setTimeout(() => {
        for (const { control } of held.values()) {
          control.isLost = true
          control.wake()
        }
      }, settings.drainMs)
      await Promise.all([...held.values()].map(({ done }) => done))
      clearTimeout(late)
      clearInterval(timer)
      await releaseLeases(db, settings.owner)
    },
  }
}
