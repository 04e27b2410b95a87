/** The secret that is looked for there. */
export type Wanted = {
  readonly key: string
  readonly options: unknown
  /** Another manager asks, whose provider this manager is. */
  readonly isForManager: boolean
}
