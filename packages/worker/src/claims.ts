import { setTimeout as delay } from 'node:timers/promises'
import {
  type ExecutionJob,
  endsWhatIsLeft,
  findAbandoned,
  keepLeases,
  monotonicMs,
  msUntilAbandoned,
  type Notification,
  type PoolConfig,
  type Renewal,
  releaseLeases,
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

/** How often it is looked for what nobody holds. */
const sweepsPerLease = 3

/** After a sweep that failed: the database may be back long before the next one is due. */
const retryMs = 250

/** How often it is looked whether a lease has run out here, in parts of the lease; as much earlier it is given up. */
const looksPerLease = 10

/** How long a stopping worker waits for a database that does not answer; its leases then run out by themselves. */
const lastWordMs = 5_000

/** Killed operations have 5 seconds to end (operations/process-group.ts), and their end has to be stored. */
const killedMs = 7_000

/** What is found abandoned is found again; what the queue offers is offered once. */
const whenLocked = { queue: 'wait', lost_worker: 'skip' } as const

type Held = {
  readonly control: ExecutionControl
  readonly done: Promise<void>
  /** Since when, at the latest. */
  readonly takenAtMs: number
}

export async function createClaims(services: WorkerServices, connection: PoolConfig): Promise<Claims> {
  const { db, queue, settings, log, counts } = services
  const held = new Map<string, Held>()
  const ending = new AbortController()
  let isDraining = false
  const keyOf = (tenantId: number, executionId: string) => `${tenantId}/${executionId}`

  /** Counted from before the request: the database's own clock started later. */
  const untilMs = (askedAtMs: number) =>
    settings.isAlone ? Number.POSITIVE_INFINITY : askedAtMs + settings.leaseMs

  async function takeOne(job: ExecutionJob, from: 'queue' | 'lost_worker'): Promise<void> {
    const key = keyOf(job.tenantId, job.executionId)
    if (held.has(key)) return
    if (isDraining) throw new Error('this worker takes no more executions')
    // Before it is taken: the answer may be a while on its way to an event loop that is busy.
    const release = keeper.keep(job.executionId)
    try {
      const askedAtMs = monotonicMs()
      const row = await takeLease(db, job, settings.owner, settings.leaseMs, whenLocked[from])
      if (row === undefined) return release()
      counts.executionsTaken.inc({ from })
      const control = newControl(row, untilMs(askedAtMs))
      control.isDraining = isDraining
      const done = run(key, row, control, release)
      held.set(key, { control, done, takenAtMs: monotonicMs() })
    } catch (error) {
      release()
      throw error
    }
  }

  async function run(
    key: string,
    row: Parameters<typeof runExecution>[1],
    control: ExecutionControl,
    release: () => void,
  ) {
    await runExecution(services, row, control)
    // An execution whose run was interrupted is left for whoever finds it abandoned.
    release()
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

  function onRenewal({ askedAtMs, ids, rows }: Renewal): void {
    const asked = new Set(ids)
    const still = new Map(rows.map((row) => [keyOf(row.tenant_id, row.id), row]))
    for (const [key, { control, takenAtMs }] of held) {
      // What was taken while the answer was on its way says nothing by being absent from it.
      if (!asked.has(control.lease.executionId) || takenAtMs > askedAtMs) continue
      const row = still.get(key)
      // Ended between two steps, or taken by another worker: either way there is nothing more to do here.
      if (row === undefined || row.lease_fence !== control.lease.fence) control.lose()
      else {
        if (row.isRenewed) control.heldUntilMs = Math.max(control.heldUntilMs, untilMs(askedAtMs))
        control.cancelMode = cancelModeOf(row.status) ?? control.cancelMode
        control.endsLeft = endsWhatIsLeft(row)
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
    for (const job of jobs) if (!isDraining) await takeOne(job, 'lost_worker')
    return (await msUntilAbandoned(db)) ?? Number.POSITIVE_INFINITY
  }

  /** Begins at once: after a crash on a single machine, what it interrupted waits for nobody else. */
  async function beat(): Promise<void> {
    while (!ending.signal.aborted) {
      let pauseMs = settings.leaseMs / sweepsPerLease
      try {
        if (!isDraining) pauseMs = Math.min(pauseMs, await sweep())
      } catch (error) {
        log.warn({ err: error }, 'executions that no worker holds could not be looked for')
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
    // After a stall of the event loop, what was renewed meanwhile is told first.
    keeper.catchUp()
    const marginMs = settings.leaseMs / looksPerLease
    for (const { control } of held.values()) {
      if (monotonicMs() < control.heldUntilMs - marginMs) continue
      control.lose()
      control.wake()
    }
  }

  const keeper = await keepLeases({
    connection,
    owner: settings.owner,
    leaseMs: settings.leaseMs,
    ...(settings.lifelessMs !== undefined && { lifelessMs: settings.lifelessMs }),
    onRenewal,
    onError(why) {
      counts.renewalsFailed.inc()
      log.warn({ why }, 'leases could not be renewed')
    },
  })
  const beating = beat()
  const looking = setInterval(loseWhatRanOut, settings.leaseMs / looksPerLease)

  return {
    async take(jobs) {
      await Promise.all(jobs.map((job) => takeOne(job, 'queue')))
    },

    onNotification(notification) {
      if (notification.kind !== 'execution_cancel') return
      if (held.has(keyOf(notification.tenantId, notification.executionId))) keeper.ask()
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
      const goodbye = Promise.all([beating, keeper.stop()]).then(() => giveBack())
      await Promise.race([goodbye, delay(lastWordMs, undefined, { ref: false })])
    },
  }
}
