/** Whoever holds nothing may take the last place; whoever holds some, no more than so many times what stays free. */
const timesFree = 3

export type FairShares = {
  /**
   * Resolves when it is this key's turn; call the result when done, once or more. Rejects when the signal comes first,
   * with its reason, and with `ShareRefused` when too many wait.
   */
  enter(key: string | number, signal?: AbortSignal): Promise<() => void>
  /** How many hold a place now. */
  readonly held: number
  /** How many wait for one now. */
  readonly waiting: number
}

/** Too many wait, and of this key most of all. */
export class ShareRefused extends Error {
  override readonly name = 'ShareRefused'
}

type Waiter = { readonly since: number; admit(): void; refuse(reason: unknown): void }

/**
 * Places that many want, shared fairly between keys (tenants, addresses): who holds least is next, and of those that
 * hold as many, each in turn. No key ever takes all places, so that who comes new begins at once: a key may take another
 * one while it holds less than three times what would stay free, which lets one key alone have three quarters of them,
 * two a bit less than half each, and so on.
 *
 * Memory is bounded: beyond `mostWaiting` the newest of the key with most waiters is refused. Who no longer waits
 * (`signal`) is forgotten at once.
 */
export function createFairShares(options: {
  readonly size: number
  readonly mostWaiting: number
  /** Milliseconds, from any beginning. */
  readonly now: () => number
  readonly onTurn?: (waitedMs: number) => void
  readonly onRefused?: () => void
}): FairShares {
  const { size, mostWaiting, now, onTurn, onRefused } = options
  const held = new Map<string | number, number>()
  /** In the order of their turns: a key that was served goes to the end. */
  const queues = new Map<string | number, Set<Waiter>>()
  let free = size
  let waiting = 0

  const heldBy = (key: string | number) => held.get(key) ?? 0

  function mayTake(key: string | number): boolean {
    const has = heldBy(key)
    return free > 0 && (has === 0 || has < timesFree * (free - 1))
  }

  function take(key: string | number): () => void {
    free -= 1
    held.set(key, heldBy(key) + 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      free += 1
      if (heldBy(key) === 1) held.delete(key)
      else held.set(key, heldBy(key) - 1)
      serve()
    }
  }

  function serve(): void {
    for (let key = nextKey(); key !== undefined; key = nextKey()) {
      const queue = queues.get(key)
      const [waiter] = queue ?? []
      if (queue === undefined || waiter === undefined) throw new Error(`nobody waits as ${key}`)
      leave(key, queue, waiter)
      if (queue.size > 0) {
        queues.delete(key)
        queues.set(key, queue)
      }
      waiter.admit()
    }
  }

  function nextKey(): string | number | undefined {
    let next: string | number | undefined
    for (const key of queues.keys()) {
      if (mayTake(key) && (next === undefined || heldBy(key) < heldBy(next))) next = key
    }
    return next
  }

  function leave(key: string | number, queue: Set<Waiter>, waiter: Waiter): void {
    if (!queue.delete(waiter)) return
    waiting -= 1
    if (queue.size === 0 && queues.get(key) === queue) queues.delete(key)
  }

  /** Makes room for one more of this key. @throws ShareRefused when this is the one to be refused */
  function makeRoom(key: string | number): void {
    if (waiting < mostWaiting) return
    let longest: [string | number, Set<Waiter>] | undefined
    for (const entry of queues) if (longest === undefined || entry[1].size > longest[1].size) longest = entry
    onRefused?.()
    const refusal = new ShareRefused('Too many wait already')
    if (longest === undefined || longest[1].size <= (queues.get(key)?.size ?? 0) + 1) throw refusal
    const newest = [...longest[1]].at(-1)
    if (newest === undefined) throw refusal
    leave(...longest, newest)
    newest.refuse(refusal)
  }

  return {
    async enter(key, signal) {
      signal?.throwIfAborted()
      if (!queues.has(key) && mayTake(key)) {
        onTurn?.(0)
        return take(key)
      }
      makeRoom(key)
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      const queue = queues.get(key) ?? new Set()
      queues.set(key, queue)
      const giveUp = () => {
        leave(key, queue, waiter)
        reject(signal?.reason)
      }
      const waiter: Waiter = {
        since: now(),
        admit() {
          signal?.removeEventListener('abort', giveUp)
          onTurn?.(now() - waiter.since)
          resolve(take(key))
        },
        refuse(reason) {
          signal?.removeEventListener('abort', giveUp)
          reject(reason)
        },
      }
      queue.add(waiter)
      waiting += 1
      signal?.addEventListener('abort', giveUp, { once: true })
      return promise
    },
    get held() {
      return size - free
    },
    get waiting() {
      return waiting
    },
  }
}
