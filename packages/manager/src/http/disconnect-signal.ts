import { ApiError } from '@tutti/api'
import type { FastifyReply } from 'fastify'

const clientGone = new ApiError('too_many_requests_error', 'The client has gone')

const known = new WeakMap<FastifyReply, AbortSignal>()

/** Aborted when nobody waits for the answer any more: it is sent, or the connection broke. */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const found = known.get(reply)
  if (found !== undefined) return found
  const controller = new AbortController()
  const abort = () => controller.abort(clientGone)
  if (reply.raw.destroyed || reply.raw.closed) abort()
  else reply.raw.once('close', abort)
  known.set(reply, controller.signal)
  return controller.signal
}
