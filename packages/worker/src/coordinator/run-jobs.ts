import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@tutti/storage'
import type { WorkerLog } from '../log.ts'
import type { PeriodicJob } from './job.ts'
import type { CoordinatorMetrics } from './metrics.ts'

export type JobsRun = {
  readonly db: Database
  readonly log: WorkerLog
  readonly metrics: CoordinatorMetrics
  readonly jobs: readonly PeriodicJob[]
}

/** Does each job when it is due, one after the other, until the signal comes. Begins with all of them. Never rejects. */
export async function runJobs(run: JobsRun, signal: AbortSignal): Promise<void> {
  const due = new Map(run.jobs.map((job) => [job, performance.now()]))
  run.metrics.leads.set(1)
  while (!signal.aborted) {
    for (const [job, dueMs] of due) {
      if (signal.aborted || performance.now() < dueMs) continue
      await runJob(run, job, signal)
      due.set(job, performance.now() + job.everyMs)
    }
    const pauseMs = Math.max(0, Math.min(...due.values()) - performance.now())
    await delay(pauseMs, undefined, { signal }).catch(() => undefined)
  }
  run.metrics.leads.set(0)
  // Another process has newer ones.
  for (const gauge of Object.values(run.metrics.tables)) gauge.reset()
}

async function runJob({ db, log, metrics }: JobsRun, job: PeriodicJob, signal: AbortSignal): Promise<void> {
  const startedMs = performance.now()
  const { name } = job
  let count = 0
  try {
    while (!signal.aborted && performance.now() - startedMs < job.budgetMs) {
      const done = await job.part(db, metrics)
      count += done
      if (done === 0) break
    }
    metrics.lastSuccess.set({ job: name }, Date.now() / 1_000)
  } catch (error) {
    metrics.failures.inc({ job: name })
    log.warn({ err: error, job: name }, 'a periodic job failed; it is tried again when it is due')
  }
  metrics.seconds.observe({ job: name }, (performance.now() - startedMs) / 1_000)
  metrics.done.inc({ job: name }, count)
  if (count > 0) log.info({ job: name, count }, 'periodic job done')
}
