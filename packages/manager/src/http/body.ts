import type { IncomingMessage } from 'node:http'

/**
 * The bytes of a request's body. When the reader stops in the middle, the rest is read and thrown away: a client that
 * still sends must be able to read why it was refused, and to use the connection again.
 */
export async function* bodyOf(raw: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of raw.iterator({ destroyOnReturn: false })) yield chunk as Buffer
  } finally {
    raw.resume()
  }
}
