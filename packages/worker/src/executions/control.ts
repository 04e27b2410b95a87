import { type CancelMode, type RunControl, Stopped } from '@tutti/engine'
import type { ExecutionRow, Lease } from '@tutti/storage'

/**
 * What may happen to a running execution from outside: it is to be cancelled, its lease is lost, or this worker
 * drains. Whoever runs it looks here between its steps and is woken when something changes.
 */
export type ExecutionControl = RunControl & {
  readonly lease: Lease
  /** Until when no other worker can have it, on `monotonicMs`. */
  heldUntilMs: number
  /** The last step of its graphs that is stored. */
  step: number
  cancelMode: CancelMode | null
  /** It was cancelled and operations of it still run: the lease is kept until they have ended. */
  keepsLease: boolean
  lose(): void
  isDraining: boolean
  isOutOfTime: boolean
  wake: () => void
}

export function newControl(execution: ExecutionRow, heldUntilMs: number): ExecutionControl {
  const lost = new AbortController()
  return {
    lease: { tenantId: execution.tenant_id, executionId: execution.id, fence: execution.lease_fence },
    heldUntilMs,
    step: execution.step,
    cancelMode: cancelModeOf(execution.status),
    endsLeft: false,
    keepsLease: false,
    lost: lost.signal,
    lose: () => lost.abort(new Stopped('its lease is lost')),
    isDraining: false,
    isOutOfTime: false,
    wake: () => {},
  }
}

/** The cancel request that a status stands for; null for a status that is none. */
export function cancelModeOf(status: string): CancelMode | null {
  switch (status) {
    case 'cancelling':
      return 'cancel'
    case 'force_cancelling':
      return 'force-cancel'
    case 'kill_cancelling':
      return 'kill'
    default:
      return null
  }
}

/** @throws Stopped when the execution must be left now, whatever still runs */
export function checkHeld(control: ExecutionControl): void {
  control.lost.throwIfAborted()
  if (control.isOutOfTime) throw new Stopped('this worker ends')
}

/**
 * What `work` comes to, unless the execution is lost first: a database out of reach may leave a question without any
 * answer, and what runs must not go on until then.
 *
 * @throws Stopped
 */
export async function untilLost<T>(control: ExecutionControl, work: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const stop = () => reject(control.lost.reason)
  control.lost.addEventListener('abort', stop)
  work.then(resolve, reject)
  if (control.lost.aborted) stop()
  try {
    return await promise
  } finally {
    control.lost.removeEventListener('abort', stop)
  }
}
