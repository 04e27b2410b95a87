import { ApiError, badParameter, type ErrorBody } from '@tutti/api'
import { isDatabaseAway, isDiskFull, ShareRefused } from '@tutti/storage'
import type { FastifyError } from 'fastify'
import { noSpaceLeft } from './disk-space.ts'

/** An error as it is answered, and whether it is one of ours that the log must show. */
export type ErrorAnswer = {
  readonly status: number
  readonly body: ErrorBody
  readonly isInternal: boolean
  readonly retryAfterSeconds?: number | undefined
}

/**
 * Translates whatever was thrown into the API's error body, once for the whole manager. What is not from the
 * catalogue is a defect of ours: it is logged with its stack and answered without it, since messages of the database
 * or the file system would show SQL and paths.
 */
export function errorAnswer(error: unknown): ErrorAnswer {
  if (isDiskFull(error)) {
    // Whoever looks after the manager must hear of it.
    const full = noSpaceLeft()
    return { status: full.status, body: full.toBody(), isInternal: true }
  }
  const known = error instanceof ApiError ? error : storageError(error)
  if (known !== undefined) {
    const { status, retryAfterSeconds } = known
    return { status, body: known.toBody(), isInternal: false, retryAfterSeconds }
  }
  const status = (error as FastifyError).statusCode
  if (status !== undefined && status >= 400 && status < 500) {
    const bad = new ApiError('bad_parameters_error', (error as Error).message)
    return { status, body: bad.toBody(), isInternal: false }
  }
  const internal = new ApiError(
    'internal_server_error',
    'Internal error occurred in manager REST server - see the manager log for the request id in the header X-Request-Id',
  )
  return { status: internal.status, body: internal.toBody(), isInternal: true }
}

/**
 * What the database said that is nobody's defect. Two requests that raced for one id: the loser broke a constraint
 * that both had checked. Or no answer at all: clients wait and repeat on 503 (docs/reference/operations.md,
 * "Patience").
 */
function storageError(error: unknown): ApiError | undefined {
  if (error instanceof ShareRefused) {
    return new ApiError(
      'too_many_requests_error',
      'Too many requests of this tenant or address wait already',
      {
        hint: 'Send the request again in a few seconds, and fewer at the same time',
        retryAfterSeconds: 5,
      },
    )
  }
  const code = (error as { code?: unknown }).code
  if (code === '23505')
    return new ApiError('conflict_error', 'Another request has just created the same resource')
  if (code === '23503')
    return new ApiError('conflict_error', 'A resource that this one belongs to has just been deleted')
  if (code === '22021' || code === '22P05') {
    return badParameter('The request holds a NUL character where a text is expected')
  }
  // numeric_value_out_of_range, datetime_field_overflow: a filter or a field holds more than its column can.
  if (code === '22003' || code === '22008') {
    return badParameter('The request holds a number or a time that is too large')
  }
  if (code === '40001' || code === '40P01') {
    return new ApiError(
      'storage_error',
      'Another request has just changed the same resource; send this one again',
    )
  }
  if (isDatabaseAway(error)) {
    return new ApiError('database_unavailable_error', 'The database of the manager does not answer now', {
      hint: 'Send the request again in a few seconds. If it was a change, look first whether it has been made',
    })
  }
  return undefined
}
