/** So many wrong passwords in a row cost nothing: people mistype. */
const free = 5
const firstMs = 1_000
const longestMs = 30_000
const forgottenMs = 15 * 60_000

export type SlowDown = {
  /** How long this key must wait before its next password is looked at; 0: not at all. */
  waitMs(key: string): number
  failed(key: string): void
  succeeded(key: string): void
}

/**
 * Makes guessing slow: after some wrong passwords for one user from one address, the next is looked at a second later,
 * then two, up to half a minute. Another address is not slowed, so nobody can keep somebody else out; and only what was
 * looked at counts, so that whoever waits gets in.
 *
 * Of `most` keys at once the oldest are forgotten: a stranger who would make us forget their guesses so must have that
 * many other passwords checked first, which takes longer than the wait.
 */
export function createSlowDown({ now, most }: { now: () => number; most: number }): SlowDown {
  const failures = new Map<string, { readonly count: number; readonly atMs: number }>()

  function recent(key: string) {
    const found = failures.get(key)
    if (found === undefined || now() - found.atMs < forgottenMs) return found
    failures.delete(key)
    return undefined
  }

  return {
    waitMs(key) {
      const found = recent(key)
      if (found === undefined || found.count < free) return 0
      const pauseMs = Math.min(longestMs, firstMs * 2 ** (found.count - free))
      return Math.max(0, found.atMs + pauseMs - now())
    },
    failed(key) {
      const count = (recent(key)?.count ?? 0) + 1
      // Behind all others: the first is the one that failed longest ago.
      failures.delete(key)
      failures.set(key, { count, atMs: now() })
      if (failures.size <= most) return
      const [oldest] = failures.keys()
      if (oldest !== undefined) failures.delete(oldest)
    },
    succeeded(key) {
      failures.delete(key)
    },
  }
}
