import { Readable } from 'node:stream'
import type { ListAnswer } from '@tutti/api'
import type { FastifyReply } from 'fastify'

/**
 * Sends a list as fast as the client takes it, and reads no faster. A short list, of one batch, is sent in one piece; so
 * whatever is wrong with the request is found before anything is sent. A failure later on breaks the answer off.
 */
export async function sendList(reply: FastifyReply, list: ListAnswer<unknown>): Promise<FastifyReply> {
  const batches = list.batches[Symbol.asyncIterator]()
  const first = await batches.next()
  const second = first.done ? first : await batches.next()
  const begin = `{"items":[${first.done ? '' : textOf(first.value)}`
  const sent = first.done ? 0 : first.value.length
  if (second.done) return reply.send(`${begin}${endOf(await list.metadata(sent))}`)

  async function* rest() {
    let count = sent
    try {
      yield begin
      for (let next = second; !next.done; next = await batches.next()) {
        count += next.value.length
        yield `,${textOf(next.value)}`
      }
      yield endOf(await list.metadata(count))
    } finally {
      await batches.return?.()
    }
  }
  // Of strings, each counts as one: no more than one batch is read ahead.
  return reply.send(Readable.from(rest(), { highWaterMark: 1 }))
}

/** `JSON.stringify` measured 1.5 times faster than schema serialisers on big lists (architecture 5). */
const textOf = (batch: readonly unknown[]) => JSON.stringify(batch).slice(1, -1)
const endOf = (metadata: unknown) => `],"metadata":${JSON.stringify(metadata)}}`
