/** The secret that is looked for there. */
export type SecretRequest = {
  readonly key: string
  readonly options: unknown
  /** Another manager asks, whose provider this manager is. */
  readonly isForManager: boolean
}
