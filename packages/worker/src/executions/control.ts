import type { CancelMode } from '@tutti/engine'
import type { Lease } from '@tutti/storage'

/**
 * What may happen to a running execution from outside: it is to be cancelled, its lease is lost, or this worker
 * drains. Whoever runs it looks here between its steps and is woken when something changes.
 */
export type ExecutionControl = {
  readonly lease: Lease
  cancelMode: CancelMode | null
  /** Another worker has it now: stop at once and write nothing. */
  isLost: boolean
  /** Start nothing more; what runs may end. */
  isDraining: boolean
  wake: () => void
}

export function newControl(lease: Lease): ExecutionControl {
  return { lease, cancelMode: null, isLost: false, isDraining: false, wake: () => {} }
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
