import type { IncomingMessage } from 'node:http'
import { badParameter } from '@tutti/api'

/** How slowly a body may come: senders who never finish would hold connections, files and memory for ever. */
export type Pace = {
  /** Longest time without a byte. */
  readonly idleMs: number
  /** From this time on the whole must have come at least as fast as `minBytesPerSecond`. */
  readonly graceMs: number
  readonly minBytesPerSecond: number
}

const defaultPace: Pace = { idleMs: 30_000, graceMs: 30_000, minBytesPerSecond: 1_000 }

/**
 * The bytes of a request's body. When the reader stops in the middle, the rest is read and thrown away: a client that
 * still sends must be able to read why it was refused, and to use the connection again.
 *
 * @throws bad_parameters_error when it comes too slowly
 */
export async function* bodyOf(raw: IncomingMessage, pace: Pace = defaultPace): AsyncGenerator<Buffer> {
  const chunks = raw.iterator({ destroyOnReturn: false })
  const startedMs = performance.now()
  let bytes = 0
  try {
    for (;;) {
      const untilMs = startedMs + pace.graceMs + (bytes / pace.minBytesPerSecond) * 1_000
      const coming = chunks.next()
      const chunk = await within(Math.min(pace.idleMs, untilMs - performance.now()), coming)
      if (chunk === 'late') {
        // Whatever may come of it yet, or its end, is nobody's.
        coming.catch(() => undefined)
        abandoned.add(raw)
        throw badParameter('The request body comes too slowly: it was given up', {
          hint: 'Send it again over a faster connection',
        })
      }
      if (chunk.done) return
      bytes += chunk.value.length
      yield chunk.value
    }
  } finally {
    if (!abandoned.has(raw)) {
      await chunks.return?.()
      raw.resume()
    }
  }
}

const abandoned = new WeakSet<IncomingMessage>()

/** All of a body. @throws bad_parameters_error with the given text for what is larger */
export async function readBytes(raw: IncomingMessage, maxBytes: number, tooLarge: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of bodyOf(raw)) {
    size += chunk.length
    if (size > maxBytes) throw badParameter(tooLarge)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Whether the rest of the body is never read: the connection is of no use after the answer. */
export const isAbandoned = (raw: IncomingMessage): boolean => abandoned.has(raw)

async function within<T>(ms: number, work: Promise<T>): Promise<T | 'late'> {
  const late = Promise.withResolvers<'late'>()
  const timer = setTimeout(late.resolve, Math.max(0, ms), 'late')
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
