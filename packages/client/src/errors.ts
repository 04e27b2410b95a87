import type { ErrorCode } from '@tutti/api'

/** The manager answered, and the answer is an error. Thrown by every call of the client. */
export class ClientError extends Error {
  readonly status: number
  /** `error_code` of the body; `unknown` where the answer did not come from a manager. */
  readonly code: ErrorCode | 'unknown'
  readonly hint: string | undefined
  /** What was asked, as `GET /blueprints/web`. */
  readonly request: string
  readonly body: unknown

  constructor(given: {
    readonly status: number
    readonly code: ErrorCode | 'unknown'
    readonly message: string
    readonly hint: string | undefined
    readonly request: string
    readonly body: unknown
  }) {
    super(given.message)
    this.name = 'ClientError'
    this.status = given.status
    this.code = given.code
    this.hint = given.hint
    this.request = given.request
    this.body = given.body
  }
}

/** No answer came: the manager is not there, does not listen or hung up. */
export class ConnectionError extends Error {
  readonly url: string
  readonly hint: string

  constructor(url: string, reason: string, cause: unknown) {
    super(`No answer from the manager at ${url}: ${reason}`, { cause })
    this.name = 'ConnectionError'
    this.url = url
    this.hint =
      'Is it running there? Start one with `tutti serve`, or say where it is: --url, TUTTI_URL or `tutti profiles use`.'
  }
}

export const isNotFound = (error: unknown): boolean => error instanceof ClientError && error.status === 404
