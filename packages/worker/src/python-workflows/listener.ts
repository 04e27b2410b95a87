/** The process of the workflow that there is at present; what is said to nobody is lost. */
export type Listener = {
  send(message: unknown): void
  /** Resolves when it has read so much that more may be sent to it; at once where there is none. */
  room(): Promise<void>
}
