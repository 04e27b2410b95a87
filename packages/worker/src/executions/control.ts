import type { CancelMode } from '@tutti/engine'
import type { ExecutionRow, Lease } from '@tutti/storage'

/**
 * What may happen to a running execution from outside: it is to be cancelled, its lease is lost, or this worker
 * drains. Whoever runs it looks here between its steps and is woken when something changes.
 */
export type ExecutionControl = {
  readonly lease: Lease
  /** Until when no other worker can have it, on the clock of `performance.now()`. */
  heldUntilMs: number
  /** The last step of its graphs that is stored. */
  step: number
  cancelMode: CancelMode | null
  /** Another worker has it now, or may have: stop at once and write nothing. */
  isLost: boolean
  /** Start nothing more; what runs may end. */
  isDraining: boolean
  /** What runs has had its time to end. */
  isOutOfTime: boolean
  wake: () => void
}

export function newControl(execution: ExecutionRow, heldUntilMs: number): ExecutionControl {
  return {
    lease: { tenantId: execution.tenant_id, executionId: execution.id, fence: execution.lease_fence },
    heldUntilMs,
    step: execution.step,
    cancelMode: cancelModeOf(execution.status),
    isLost: false,
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

/** Thrown out of a run that is to leave its execution to another worker. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}

/** @throws Stopped when the execution must be left now, whatever still runs */
export function checkHeld(control: ExecutionControl): void {
  if (control.isLost) throw new Stopped('its lease is lost')
  if (control.isOutOfTime) throw new Stopped('this worker ends')
}
