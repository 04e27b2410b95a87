import { setTimeout as delay } from 'node:timers/promises'
import { isDatabaseAway } from '@tutti/storage'

const firstPauseMs = 50
const longestPauseMs = 500

/**
 * Does `work`, and again for as long as the database is away. What was tried may have been committed: `work` must come to
 * the same when it is repeated.
 *
 * @param check throws when there is to be no further try
 */
export async function whileAway<T>(
  work: () => Promise<T>,
  check: () => void,
  onAway: (error: unknown) => void = () => {},
): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await work()
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      check()
      onAway(error)
    }
    await delay(pauseMs)
    check()
  }
}
