import { connect, type Socket } from 'node:net'

/** What is asked; GET without a body unless it says otherwise. */
export type AskedRequest = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly method?: string
  readonly body?: string
}

/** One keep-alive connection that sends the same request again and again and times the answers. */
export type LoadConnection = {
  /** Sends the request and waits for its whole answer. Returns the HTTP status and the size of the answer. */
  ask(): Promise<{ readonly status: number; readonly bytes: number }>
  close(): void
}

/**
 * Much less work for each answer than an HTTP library: the generator shares the machine with what it measures. Only for
 * answers of JSON on one line: where one has no Content-Length, its last chunk is known by its line ends.
 */
export async function openLoadConnection({ url: address, headers, method = 'GET', body = '' }: AskedRequest) {
  const url = new URL(address)
  const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const lines = Object.entries({ host: url.host, ...headers, ...length })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  const request = `${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines}\r\n${body}`
  const socket = connect(Number(url.port), url.hostname).setNoDelay(true)
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  return { ask: () => ask(socket, request), close: () => socket.destroy() } satisfies LoadConnection
}

const lastChunk = Buffer.from('0\r\n\r\n')

function ask(socket: Socket, request: string): Promise<{ status: number; bytes: number }> {
  return new Promise((resolve, reject) => {
    let head: Buffer = Buffer.alloc(0)
    let tail: Buffer = Buffer.alloc(0)
    let expected = -1
    let received = 0
    let status = 0
    const end = (action: () => void) => {
      socket.off('data', onData)
      socket.off('close', onClose)
      action()
    }
    const onClose = () => end(() => reject(new Error('the manager closed the connection')))
    const onData = (data: Buffer) => {
      received += data.length
      if (expected < 0) {
        head = head.length === 0 ? data : Buffer.concat([head, data])
        const headEnd = head.indexOf('\r\n\r\n')
        if (headEnd < 0) return
        const text = head.toString('latin1', 0, headEnd)
        status = Number(text.slice(9, 12))
        const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1]
        expected = length === undefined ? Number.POSITIVE_INFINITY : headEnd + 4 + Number(length)
      }
      tail = Buffer.concat([tail, data.subarray(-lastChunk.length)]).subarray(-lastChunk.length)
      const isEnded = expected === Number.POSITIVE_INFINITY ? tail.equals(lastChunk) : received >= expected
      if (isEnded) end(() => resolve({ status, bytes: received }))
    }
    socket.on('data', onData)
    socket.on('close', onClose)
    socket.write(request)
  })
}
