import { type ErrorCode, errorCatalogue } from './catalogue.ts'

/**
 * What every error answer holds (docs/reference/rest-conventions.md, "Errors"), besides the extra keys of some codes.
 */
export type ErrorBody = {
  readonly message: string
  readonly error_code: ErrorCode
  readonly server_traceback: string | null
  readonly [extra: string]: unknown
}

export type ApiErrorOptions = {
  /** What to do next, for a person; answered as the extra key `hint`. */
  readonly hint?: string
  /** Extra keys of the body, such as `err_reason`. */
  readonly details?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
  /** Answered as the header Retry-After. */
  readonly retryAfterSeconds?: number
}

/** An error of the catalogue, thrown anywhere in the manager and translated once into an answer. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly hint: string | undefined
  readonly details: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ApiError'
    this.code = code
    this.status = errorCatalogue[code].status
    this.hint = options.hint
    this.details = options.details ?? {}
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  toBody(): ErrorBody {
    return {
      message: this.message,
      error_code: this.code,
      server_traceback: null,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...this.details,
    }
  }
}
