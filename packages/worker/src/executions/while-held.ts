import { setTimeout as delay } from 'node:timers/promises'
import { isDatabaseAway } from '@tutti/storage'
import type { WorkerServices } from '../services.ts'
import { checkHeld, type ExecutionControl } from './control.ts'

const firstPauseMs = 50
const longestPauseMs = 500

/**
 * Does `work`, and again while the database is away, for as long as the execution cannot be another worker's. What
 * was tried may have been committed: `work` must come to the same when it is repeated.
 *
 * @throws Stopped when the execution is lost meanwhile, or this worker has to end
 */
export async function whileHeld<T>(
  services: WorkerServices,
  control: ExecutionControl,
  work: () => Promise<T>,
): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await work()
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      checkHeld(control)
      const execution_id = control.lease.executionId
      services.log.warn({ execution_id, err: error }, 'the database does not answer; trying again')
    }
    await delay(pauseMs)
    checkHeld(control)
  }
}
