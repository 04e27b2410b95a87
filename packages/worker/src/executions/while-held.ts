import type { WorkerServices } from '../services.ts'
import { whileAway } from '../while-away.ts'
import { checkHeld, type ExecutionControl } from './control.ts'

/**
 * Does `work`, and again while the database is away, for as long as the execution cannot be another worker's. What
 * was tried may have been committed: `work` must come to the same when it is repeated.
 *
 * @throws Stopped when the execution is lost meanwhile, or this worker has to end
 */
export function whileHeld<T>(
  services: WorkerServices,
  control: ExecutionControl,
  work: () => Promise<T>,
): Promise<T> {
  let told: unknown
  return whileAway(work, (error) => {
    checkHeld(control)
    if (told === error) return
    told = error
    const execution_id = control.lease.executionId
    services.log.warn({ execution_id, err: error }, 'the database does not answer; trying again')
  })
}
