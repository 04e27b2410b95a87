export type StatusChange = {
  readonly status: string
  readonly error?: string
  /** With an end status: its worker keeps the lease, as operations of it still run. */
  readonly keepsLease?: boolean
}
