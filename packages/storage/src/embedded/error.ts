/** Why the embedded PostgreSQL could not be started, for callers that act on the reason. */
export type EmbeddedPostgresErrorCode =
  /** Another living process owns the data folder. */
  | 'data_folder_in_use'
  /** A folder cannot be made, entered or written. */
  | 'folder_closed'
  /** No PostgreSQL binaries are installed for this system. */
  | 'binaries_missing'
  /** `initdb` failed. */
  | 'initialisation_failed'
  /** The data were written by another major version of PostgreSQL. */
  | 'version_mismatch'
  /** The server was started and ended before it accepted connections. */
  | 'start_failed'
  /** The server did not end when it was told to. */
  | 'stop_failed'

/** Thrown by {@link startEmbeddedPostgres} and `stop`. The message says what, where, why and what to do. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError'
  readonly code: EmbeddedPostgresErrorCode

  constructor(code: EmbeddedPostgresErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
