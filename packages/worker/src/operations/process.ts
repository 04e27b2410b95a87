import type { OperationRequest } from './request.ts'

export type Exit =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'not-started'; readonly reason: string }

/** A process that leads a session and a process group of its own, so that all it started can be killed with it. */
export type OperationProcess = {
  /** Settles when the leader has exited, whoever still holds its output. */
  readonly exit: Promise<Exit>
  /** Ends all that it started, which has `graceMs` to end by itself; settles when nothing of it is left. */
  kill(graceMs: number): Promise<void>
  /** Lets what is left of it go on, also when this worker dies. */
  leave(): void
}

/**
 * Starts the process of an operation, whose own folder is given, and tells it by that folder what to do. Rejects when
 * this machine cannot do its part. Whoever waits for others while it starts waits no longer than until `stopped` settles:
 * then the operation is to end, or not to begin.
 */
export type StartProcess = (
  request: OperationRequest,
  folder: string,
  stopped: Promise<unknown>,
) => Promise<OperationProcess>
