import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterEach, describe, expect, test } from 'vitest'
import { type Connections, watchConnections } from './connections.ts'

let server: Server | TlsServer
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

describe('over TLS', () => {
  const pem = (name: string) =>
    readFileSync(join(import.meta.dirname, '..', '..', 'test', 'ldap-certificates', name))

  async function listeningTls(answer: RequestListener): Promise<Connections> {
    const secure = createTlsServer({ cert: pem('server.pem'), key: pem('server.key') }, answer)
    server = secure
    const connections = watchConnections(secure)
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve))
    return connections
  }

  async function connectedTls() {
    const accepted = once(server, 'secureConnection')
    const socket = connectTls({
      port: (server.address() as AddressInfo).port,
      host: '127.0.0.1',
      rejectUnauthorized: false,
    })
    socket.on('error', () => undefined)
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    await accepted
    return { socket, closed }
  }

  test('who has only shaken hands, or nothing more to say, is not waited for', async () => {
    const connections = await listeningTls((_request, response) => void response.end('done'))
    const accepted = once(server, 'connection')
    const dumb = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const dumbClosed = once(dumb.resume(), 'close')
    await accepted
    const silent = await connectedTls()
    silent.socket.resume()
    const answered = await connectedTls()
    answered.socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    await once(answered.socket, 'data')
    server.close()
    await connections.drain(never)
    await Promise.all([dumbClosed, silent.closed, answered.closed])
  })

  test('what is under way is answered, and then the connection ends', async () => {
    let answer = () => {}
    const asked = Promise.withResolvers<void>()
    const connections = await listeningTls((_request, response) => {
      answer = () => void response.end('done')
      asked.resolve()
    })
    const client = await connectedTls()
    client.socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    await asked.promise
    server.close()
    const drained = connections.drain(never)
    answer()
    expect(String((await once(client.socket, 'data'))[0])).toContain('done')
    await drained
    await client.closed
  })
})
