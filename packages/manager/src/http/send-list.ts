import { Readable } from 'node:stream'
import { type ItemAnswer, isWrittenOut, type ListAnswer, type Reading, writtenOut } from '@tutti/api'
import type { FastifyReply } from 'fastify'

/** So much is sent in one piece: most lists are shorter. */
const wholeCharacters = 4 * 2 ** 20

/**
 * Sends a list as fast as the client takes it, and reads no faster. What is wrong with the request is found before
 * anything is sent; a failure in the middle of a long list breaks the answer off.
 */
export async function sendList(
  reply: FastifyReply,
  list: ListAnswer<unknown>,
  reading: Reading,
): Promise<FastifyReply> {
  const texts = textsOf(list, reading)
  let begin = ''
  while (begin.length < wholeCharacters) {
    const next = await texts.next()
    if (next.done) return reply.send(Buffer.from(begin))
    begin += next.value
  }
  // Of strings, each counts as one: no more than one batch is read ahead.
  const rest = Readable.from(joined(begin, texts), { highWaterMark: 1 })
  // Also for a client that is gone already: of what nobody has begun to read, no `finally` would be run.
  rest.once('close', () => void texts.return(undefined))
  return reply.send(rest)
}

/** Sends one resource; one that may have hundreds of megabytes, as a plan has, as fast as the client takes it. */
export function sendItem(reply: FastifyReply, { text }: ItemAnswer): FastifyReply {
  return reply.send(
    isWrittenOut(text) ? Buffer.from(text) : Readable.from(writtenOut(text), { highWaterMark: 1 }),
  )
}

async function* textsOf(list: ListAnswer<unknown>, reading: Reading): AsyncGenerator<string> {
  let sent = 0
  yield '{"items":['
  for await (const { count, text } of list.texts(reading)) {
    if (count === 0) continue
    if (sent > 0) yield ','
    yield* writtenOut(text)
    sent += count
  }
  yield `],"metadata":${JSON.stringify(await list.metadata(sent))}}`
}

async function* joined(begin: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield begin
  yield* rest
}
