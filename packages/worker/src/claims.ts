import { setTimeout as delay } from 'node:timers/promises'
import {
  type ExecutionJob,
  findAbandoned,
  msUntilAbandoned,
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
  /** Lets what runs come to a rest, gives everything back and stops. Never rejects. */
  drain(): Promise<void>
}

/** A third of the lease: two renewals may fail before anything is lost. */
const renewalsPerLease = 3

/** After a renewal that failed: the database may be back long before the next one is due. */
const retryMs = 250

/** How often it is looked whether a lease has run out here, in parts of the lease; as much earlier it is given up. */
const looksPerLease = 10

/** Whoever ends waits no longer than this for a database that says nothing; leases run out by themselves. */
const lastWordMs = 5_000

/** Killed operations have 5 seconds to end (operations/process-group.ts), and their end has to be stored. */
const killedMs = 7_000

type Held = { readonly control: ExecutionControl; readonly done: Promise<void> }

export function createClaims(services: WorkerServices): Claims {
  const { db, queue, settings, log } = services
  const held = new Map<string, Held>()
  const ending = new AbortController()
  let isDraining = false
  const keyOf = (tenantId: number, executionId: string) => `${tenantId}/${executionId}`

  /** Counted from before the request: the database's own clock started later. */
  const untilMs = (askedAtMs: number) =>
    settings.isAlone ? Number.POSITIVE_INFINITY : askedAtMs + settings.leaseMs

  async function takeOne(job: ExecutionJob, whenLocked: 'wait' | 'skip'): Promise<void> {
    const key = keyOf(job.tenantId, job.executionId)
    if (held.has(key)) return
    if (isDraining) throw new Error('this worker takes no more executions')
    const askedAtMs = performance.now()
    const row = await takeLease(db, job, settings.owner, settings.leaseMs, whenLocked)
    if (row === undefined) return
    const control = newControl(row, untilMs(askedAtMs))
    control.isDraining = isDraining
    const done = run(key, row, control)
    held.set(key, { control, done })
  }

  async function run(key: string, row: Parameters<typeof runExecution>[1], control: ExecutionControl) {
    await runExecution(services, row, control)
    services.waiting.ask()
    services.environments.ask()
    if (isDraining) await giveBack([row.id])
    if (held.get(key)?.control === control) held.delete(key)
    // Not before it is out of `held`: should it have been resumed, the job that this sends may come here.
    if (control.keepsLease && !isDraining && !control.lost.aborted) await giveBack([row.id])
  }

  async function giveBack(executionIds?: readonly string[]): Promise<void> {
    try {
      await releaseLeases(db, queue, settings.owner, executionIds)
    } catch (error) {
      log.warn({ err: error }, 'leases could not be given back; they run out by themselves')
    }
  }

  async function renew(): Promise<void> {
    // Only what runs: an execution whose run was interrupted is left for whoever finds it abandoned.
    // What is taken while the answer is on its way was not asked about, and says nothing by being absent from it.
    const asked = [...held]
    const ids = asked.map(([, { control }]) => control.lease.executionId)
    const askedAtMs = performance.now()
    const rows = await renewLeases(db, settings.owner, ids, settings.leaseMs)
    const still = new Map(rows.map((row) => [keyOf(row.tenant_id, row.id), row]))
    for (const [key, { control }] of asked) {
      const row = still.get(key)
      // Ended between two steps, or taken by another worker: either way there is nothing more to do here.
      if (row === undefined || row.lease_fence !== control.lease.fence) control.lose()
      else {
        if (row.isRenewed) control.heldUntilMs = untilMs(askedAtMs)
        control.cancelMode = cancelModeOf(row.status) ?? control.cancelMode
        control.endsLeft = row.endsLeft
      }
      control.wake()
    }
  }

  /**
   * Takes what nobody holds, and says how long it is until there may be more. What waits in the queue is started after
   * the end of what it waits for; the sweep finds what a worker that died in between has not started.
   */
  async function sweep(): Promise<number> {
    services.waiting.ask()
    const jobs = (await findAbandoned(db, 100)).filter(
      ({ tenantId, executionId }) => !held.has(keyOf(tenantId, executionId)),
    )
    if (jobs.length > 0) log.info({ count: jobs.length }, 'taking over executions that no worker holds')
    for (const job of jobs) if (!isDraining) await takeOne(job, 'skip')
    return (await msUntilAbandoned(db)) ?? Number.POSITIVE_INFINITY
  }

  /** Begins at once: after a crash on a single machine, what it interrupted waits for nobody else. */
  async function beat(): Promise<void> {
    while (!ending.signal.aborted) {
      let pauseMs = settings.leaseMs / renewalsPerLease
      try {
        await renew()
        if (!isDraining) pauseMs = Math.min(pauseMs, await sweep())
      } catch (error) {
        log.warn({ err: error }, 'leases could not be renewed')
        pauseMs = Math.min(pauseMs, retryMs)
      }
      await delay(pauseMs, undefined, { signal: ending.signal }).catch(() => undefined)
    }
  }

  /**
   * Where the database cannot be reached from here, perhaps it can from another worker, which then takes what ran
   * out: before that, nothing of it may run here any more.
   */
  function loseWhatRanOut(): void {
    const marginMs = settings.leaseMs / looksPerLease
    for (const { control } of held.values()) {
      if (performance.now() < control.heldUntilMs - marginMs) continue
      control.lose()
      control.wake()
    }
  }

  const beating = beat()
  const looking = setInterval(loseWhatRanOut, settings.leaseMs / looksPerLease)

  return {
    async take(jobs) {
      await Promise.all(jobs.map((job) => takeOne(job, 'wait')))
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
          control.isOutOfTime = true
          control.wake()
        }
      }, settings.drainMs)
      const all = Promise.all([...held.values()].map(({ done }) => done))
      await Promise.race([all, delay(settings.drainMs + killedMs, undefined, { ref: false })])
      clearTimeout(late)
      clearInterval(looking)
      ending.abort()
      const goodbye = beating.then(() => giveBack())
      await Promise.race([goodbye, delay(lastWordMs, undefined, { ref: false })])
    },
  }
}
