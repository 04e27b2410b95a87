import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type Connections, watchConnections } from './connections.ts'

let server: Server
afterEach(() => {
  server.closeAllConnections()
})

async function listening(answer: RequestListener): Promise<Connections> {
  server = createServer(answer)
  const connections = watchConnections(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return connections
}

/** A connection over which `text` has been sent, and has come as far as the server reads it. */
async function connected(text: string, arrived: Promise<unknown> = Promise.resolve()) {
  const accepted = once(server, 'connection')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [peer] = await accepted
  socket.on('error', () => undefined)
  const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))))
  socket.resume()
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  if (text !== '') socket.write(text)
  await expect.poll(() => peer.bytesRead).toBe(text.length)
  await arrived
  return { answer, closed }
}

const never = 2 ** 30

test('who has sent nothing, or nothing more, is not waited for', async () => {
  const connections = await listening((_request, response) => void response.end('done'))
  const silent = await connected('')
  const answered = await connected('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await answered.answer
  server.close()
  await connections.drain(never)
  await Promise.all([silent.closed, answered.closed])
})

test.each([
  ['half of the headers', 'GET / HTTP/1.1\r\nhost'],
  ['half of a body', 'PUT / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf'],
  ['half of a chunk', 'PUT / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nff\r\nhalf'],
])('whoever has sent %s has until the deadline', async (_what, text) => {
  const connections = await listening((request, response) => {
    request.resume().on('end', () => response.end())
  })
  const { closed } = await connected(text)
  server.close()
  await connections.drain(1)
  await closed
})

test('an answer that is not taken has until the deadline', async () => {
  const connections = await listening((_request, response) => {
    response.write('x'.repeat(1_000_000))
  })
  const { closed } = await connected('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  server.close()
  await connections.drain(1)
  await closed
})

test('what is under way is answered, and then the connection ends', async () => {
  let answer = () => {}
  const asked = Promise.withResolvers<void>()
  const connections = await listening((_request, response) => {
    answer = () => void response.end('done')
    asked.resolve()
  })
  const client = await connected('GET / HTTP/1.1\r\nhost: x\r\n\r\n', asked.promise)
  server.close()
  const drained = connections.drain(never)
  answer()
  expect(await client.answer).toContain('done')
  await drained
  await client.closed
})
