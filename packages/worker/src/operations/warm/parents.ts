import type { OperationUser } from '../operation-user.ts'
import { type Parent, type ParentCommand, type ParentPatience, startParent } from './parent.ts'

export type ParentLimits = {
  /** Of those that nobody needs just now. A parent has some 20 MB. */
  readonly mostIdle: number
  readonly idleMs: number
  /** How often it is looked for those that are idle. */
  readonly lookMs: number
} & ParentPatience

const usual: ParentLimits = {
  mostIdle: 16,
  idleMs: 300_000,
  lookMs: 15_000,
  readyMs: 60_000,
  silentMs: 30_000,
}

/** For so long operations are started without one, where it could not be started. */
const failedMs = 60_000

export type ParentEvents = {
  onFork(): void
  /** A parent ended that nobody had told to. */
  onLost(): void
  /** It could not be started. */
  onFailure(reason: string, user: OperationUser): void
}

/** The parents of this worker: one for each interpreter, with its environment, and user. */
export type Parents = {
  /** Undefined where there is none to be had: operations are started without one then. */
  of(command: ParentCommand): Promise<Parent | undefined>
  readonly running: number
  /** Ends them all; no operation runs any more, and none is given to them. */
  close(): Promise<void>
}

type Kept = { readonly parent: Parent; usedAtMs: number }

export function createParents(events: ParentEvents, given: Partial<ParentLimits> = {}): Parents {
  const limits = { ...usual, ...given }
  const { mostIdle, idleMs, lookMs } = limits
  const now = () => performance.now()
  const kept = new Map<string, Kept>()
  const failed = new Map<string, number>()
  const keys = new WeakMap<ParentCommand, string>()
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  function start(key: string, command: ParentCommand): Kept {
    const parent = startParent(command, limits)
    const entry = { parent, usedAtMs: now() }
    kept.set(key, entry)
    timer ??= setInterval(endIdle, lookMs).unref()
    parent.gone.then(() => {
      if (kept.get(key) !== entry) return
      kept.delete(key)
      events.onLost()
    })
    parent.ready.then((reason) => {
      if (reason === undefined) return
      failed.set(key, now() + failedMs)
      events.onFailure(reason, command.user)
      end(key, entry)
    })
    return entry
  }

  function end(key: string, { parent }: Kept): Promise<void> {
    kept.delete(key)
    return parent.end()
  }

  /** The longest idle first. */
  function endIdle(): void {
    const idle = [...kept]
      .filter(([, { parent }]) => parent.running === 0)
      .sort(([, one], [, other]) => other.usedAtMs - one.usedAtMs)
    for (const [index, [key, entry]] of idle.entries()) {
      if (index >= mostIdle || now() - entry.usedAtMs > idleMs) end(key, entry)
    }
    if (kept.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    async of(command) {
      const key = keys.get(command) ?? JSON.stringify(command)
      keys.set(command, key)
      if (isClosed || (failed.get(key) ?? 0) > now()) return undefined
      failed.delete(key)
      const known = kept.get(key)
      const entry = known ?? start(key, command)
      entry.usedAtMs = now()
      if (known === undefined && kept.size > mostIdle) endIdle()
      return (await entry.parent.ready) === undefined ? entry.parent : undefined
    },
    get running() {
      return kept.size
    },
    async close() {
      isClosed = true
      clearInterval(timer)
      await Promise.all([...kept].map(([key, entry]) => end(key, entry)))
    },
  }
}
