import { setImmediate } from 'node:timers/promises'
import type { Work } from '@tutti/engine'
import { checkHeld, type ExecutionControl } from './control.ts'

/** How long the event loop is kept from everything else at a time. */
const turnMs = 10

/**
 * Does what takes long for a large graph, a turn at a time, so that requests, other executions and signals are not held
 * up by it.
 *
 * @throws Stopped when the execution must be left meanwhile
 */
export async function inPieces<T>(control: ExecutionControl, work: Work<T>): Promise<T> {
  for (;;) {
    const endsMs = performance.now() + turnMs
    do {
      const { done, value } = work.next()
      if (done === true) return value
    } while (performance.now() < endsMs)
    await setImmediate()
    checkHeld(control)
  }
}
