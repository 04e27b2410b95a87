import { extname } from 'node:path'
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { PoolConfig } from 'pg'
import { monotonicMs } from '../monotonic.ts'
import type { FromLeaseThread, LeaseThreadData, ToLeaseThread } from './lease-thread.ts'
import type { HeldLease } from './renew-leases.ts'

export type Renewal = {
  /** When the server was asked, on `monotonicMs`: what is renewed is held for a lease from then on. */
  readonly askedAtMs: number
  /** Of all that were asked about: those without a row are not held any more. */
  readonly ids: readonly string[]
  readonly rows: readonly HeldLease[]
}

/** Renews a process's leases. */
export type LeaseKeeper = {
  /** Renews the lease of the execution, if the owner has it, until the answer is called. */
  keep(executionId: string): () => void
  /** Has everything renewed now: a status may have changed. */
  ask(): void
  /** Tells what was renewed while the event loop was held up, without its turn. */
  catchUp(): void
  stop(): Promise<void>
}

export type LeaseKeeperOptions = {
  readonly connection: PoolConfig
  readonly owner: string
  readonly leaseMs: number
  /** Without a turn of the event loop for so long the process is taken for dead. */
  readonly lifelessMs?: number
  readonly onRenewal: (renewal: Renewal) => void
  readonly onError: (why: string) => void
}

/**
 * Long enough for what holds up an event loop on a slow machine, as reading or writing a large value does; a loop that
 * never comes to its end loses its leases all the same.
 */
const defaultLifelessMs = 60_000

/** How often the event loop shows that it turns. */
const signsOfLifePerLease = 10

/** With the extension of this very file: .ts in development, .js in the compiled package. */
const threadUrl = new URL(`./lease-thread${extname(import.meta.url)}`, import.meta.url)

/** Before another thread is started in place of one that broke. */
const restartMs = 250

/**
 * Renews leases in a thread, on connections of its own, so that neither a busy event loop nor a pool in which everything
 * is taken can cost them. A process that is halted or dead renews nothing; one whose event loop does not turn any more
 * does so for `lifelessMs` only. Resolves when the thread is ready to renew.
 */
export async function keepLeases(options: LeaseKeeperOptions): Promise<LeaseKeeper> {
  const { leaseMs, onRenewal, onError } = options
  const lifeMs = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT))
  const showLife = () => {
    lifeMs[0] = monotonicMs()
  }
  showLife()
  const showing = setInterval(showLife, leaseMs / signsOfLifePerLease).unref()
  const kept = new Map<string, number>()
  const ready = Promise.withResolvers<void>()
  let isStopping = false
  let current = start()

  function receive(message: FromLeaseThread): void {
    switch (message.kind) {
      case 'ready':
        ready.resolve()
        break
      case 'failed':
        onError(message.why)
        break
      case 'renewed':
        onRenewal(message)
        break
    }
  }

  function start(): { readonly thread: Worker; readonly port: MessagePort; readonly ended: Promise<void> } {
    const { port1: port, port2 } = new MessageChannel()
    const workerData: LeaseThreadData = {
      connection: options.connection,
      owner: options.owner,
      leaseMs,
      lifeMs,
      lifelessMs: options.lifelessMs ?? defaultLifelessMs,
      port: port2,
    }
    const thread = new Worker(threadUrl, {
      workerData,
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: 64 },
    })
    const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()))
    port.on('message', receive)
    port.postMessage({ kind: 'hold', ids: [...kept.keys()] } satisfies ToLeaseThread)
    thread.once('error', (error) => onError(`the thread that renews leases broke: ${error.message}`))
    void ended.then(() => {
      port.close()
      if (!isStopping) setTimeout(restart, restartMs)
    })
    return { thread, port, ended }
  }

  function restart(): void {
    if (!isStopping) current = start()
  }

  const tell = (message: ToLeaseThread) => current.port.postMessage(message)
  const tellKept = () => tell({ kind: 'hold', ids: [...kept.keys()] })

  await ready.promise
  return {
    keep(executionId) {
      kept.set(executionId, (kept.get(executionId) ?? 0) + 1)
      tellKept()
      return () => {
        const left = (kept.get(executionId) ?? 0) - 1
        if (left > 0) kept.set(executionId, left)
        else kept.delete(executionId)
        tellKept()
      }
    },
    ask: () => tell({ kind: 'ask' }),
    catchUp() {
      for (;;) {
        const received = receiveMessageOnPort(current.port)
        if (received === undefined) return
        receive(received.message as FromLeaseThread)
      }
    },
    async stop() {
      isStopping = true
      clearInterval(showing)
      tell({ kind: 'stop' })
      await current.ended
    },
  }
}
