import { setTimeout as delay } from 'node:timers/promises'
import { type MessagePort, workerData } from 'node:worker_threads'
import { Client, type PoolConfig, types } from 'pg'
import { monotonicMs } from '../monotonic.ts'
import { type HeldLease, renewLeases, renewLocked } from './renew-leases.ts'

/** What the thread is started with. */
export type LeaseThreadData = {
  readonly connection: PoolConfig
  readonly owner: string
  readonly leaseMs: number
  /** The last sign of life of the process's event loop, on `monotonicMs`. */
  readonly lifeMs: Float64Array
  /** Without a sign of life for so long, the process is taken for dead: nothing is renewed any more. */
  readonly lifelessMs: number
  readonly port: MessagePort
}

export type ToLeaseThread =
  | { readonly kind: 'hold'; readonly ids: readonly string[] }
  /** A renewal is wanted now: a status may have changed. */
  | { readonly kind: 'ask' }
  | { readonly kind: 'stop' }

export type FromLeaseThread =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'renewed'
      readonly askedAtMs: number
      /** What it was asked about: those that are not among the rows are not held any more. */
      readonly ids: readonly string[]
      readonly rows: readonly HeldLease[]
    }
  | { readonly kind: 'failed'; readonly why: string }

/** A third of the lease: two renewals may fail before anything is lost. */
const renewalsPerLease = 3

/** After a renewal that failed: the database may be back long before the next one is due. */
const retryMs = 250

const lockTimedOut = '55P03'

/** Fences are int8: see database.ts, which this thread does without. */
types.setTypeParser(20, Number)

renew(workerData as LeaseThreadData)

function renew(data: LeaseThreadData): void {
  const { owner, leaseMs, lifeMs, lifelessMs, port } = data
  const pauseMs = leaseMs / renewalsPerLease
  const tell = (message: FromLeaseThread) => port.postMessage(message)
  const open = () => connect(data.connection, pauseMs)
  let connection = open()
  /** Of its own: what waits for a lock holds up nothing else. */
  let patient: Client | undefined
  let isWaiting = false
  const locked = new Map<string, HeldLease>()
  let held: readonly string[] = []
  let isStopping = false
  let wake = () => {}

  port.on('message', (message: ToLeaseThread) => {
    if (message.kind === 'hold') held = message.ids
    else if (message.kind === 'ask') wake()
    else {
      isStopping = true
      wake()
    }
  })

  const isAlive = () => monotonicMs() - (lifeMs[0] ?? 0) < lifelessMs

  async function renewAll(): Promise<void> {
    const ids = held
    const askedAtMs = monotonicMs()
    const rows = await renewLeases(await connection, owner, ids, leaseMs)
    tell({ kind: 'renewed', askedAtMs, ids, rows })
    for (const row of rows) if (!row.isRenewed) locked.set(row.id, row)
    if (locked.size > 0 && !isWaiting) void waitForLocked()
  }

  /** Until all are renewed or lost; each gets its turn, however long others are locked. */
  async function waitForLocked(): Promise<void> {
    isWaiting = true
    try {
      patient ??= await open()
      while (!isStopping && isAlive() && locked.size > 0) {
        for (const row of locked.values()) await waitFor(patient, row)
      }
    } catch {
      // The next renewal says what there is to say.
      void patient?.end().catch(() => undefined)
      patient = undefined
    }
    locked.clear()
    isWaiting = false
  }

  async function waitFor(client: Client, row: HeldLease): Promise<void> {
    const askedAtMs = monotonicMs()
    const isRenewed = await renewLocked(client, owner, row, leaseMs).catch((error: unknown) => {
      if ((error as { readonly code?: unknown }).code === lockTimedOut) return undefined
      throw error
    })
    if (isRenewed === undefined) return
    locked.delete(row.id)
    tell({ kind: 'renewed', askedAtMs, ids: [row.id], rows: isRenewed ? [{ ...row, isRenewed }] : [] })
  }

  async function run(): Promise<void> {
    await connection.catch(() => undefined)
    tell({ kind: 'ready' })
    while (!isStopping) {
      let restMs = pauseMs
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      try {
        if (isAlive() && held.length > 0) await renewAll()
      } catch (error) {
        tell({ kind: 'failed', why: error instanceof Error ? error.message : String(error) })
        void connection.then((client) => client.end()).catch(() => undefined)
        connection = open()
        connection.catch(() => undefined)
        restMs = Math.min(restMs, retryMs)
      }
      const ending = new AbortController()
      await Promise.race([
        promise,
        delay(restMs, undefined, { signal: ending.signal }).catch(() => undefined),
      ])
      ending.abort()
    }
    await Promise.allSettled([connection.then((client) => client.end()), patient?.end()])
    port.close()
  }

  void run()
}

async function connect(connection: PoolConfig, limitMs: number): Promise<Client> {
  const client = new Client({
    ...connection,
    application_name: 'tutti-leases',
    connectionTimeoutMillis: limitMs,
    lock_timeout: Math.ceil(limitMs),
    statement_timeout: Math.ceil(2 * limitMs),
    query_timeout: Math.ceil(3 * limitMs),
    keepAlive: true,
  })
  // What breaks is told by the next question.
  client.on('error', () => undefined)
  await client.connect()
  return client
}
