import { setTimeout as delay } from 'node:timers/promises'
import { isDatabaseAway } from '@tutti/storage'

const firstPauseMs = 50
const longestPauseMs = 500

/**
 * Does `work`, and again for as long as the database is away. What was tried may have been committed: `work` must come to
 * the same when it is repeated.
 *
 * @param goOn called before each further try; what it throws ends the trying
 */
export async function whileAway<T>(work: () => Promise<T>, goOn: (error: unknown) => void): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await work()
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      goOn(error)
      await delay(pauseMs)
      goOn(error)
    }
  }
}
