import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { setTimeout as after } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { bodyOf, type Pace } from './body.ts'

const pace: Pace = { idleMs: 300, graceMs: 600, minBytesPerSecond: 100 }

async function read(send: (stream: PassThrough) => Promise<void>): Promise<string> {
  const stream = new PassThrough()
  const sending = send(stream)
  let text = ''
  try {
    for await (const chunk of bodyOf(stream as unknown as IncomingMessage, pace)) text += chunk
  } finally {
    stream.end()
    await sending
  }
  return text
}

test('a body comes as it is sent', async () => {
  const text = await read(async (stream) => {
    stream.write('one ')
    await after(20)
    stream.end('two')
  })
  expect(text).toBe('one two')
})

test('a body that stops is given up', async () => {
  await expect(read(async (stream) => void stream.write('one'))).rejects.toThrow('comes too slowly')
})

test('a body that trickles is given up, one that keeps the pace is not', async () => {
  const trickle = (bytes: number) =>
    read(async (stream) => {
      for (let count = 0; count < 15 && !stream.writableEnded; count += 1) {
        stream.write('x'.repeat(bytes))
        await after(100)
      }
      stream.end()
    })
  await expect(trickle(1)).rejects.toThrow('comes too slowly')
  expect(await trickle(100)).toHaveLength(1_500)
})

test('a connection that breaks is an error, not an end', async () => {
  await expect(
    read(async (stream) => {
      stream.write('one')
      await after(20)
      stream.destroy(new Error('aborted'))
    }),
  ).rejects.toThrow('aborted')
})
