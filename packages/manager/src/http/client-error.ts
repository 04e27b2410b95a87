import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { badParameter } from '@tutti/api'

/** What Node could not read as a request, as an answer in the API's shape; then the connection ends. */
export function answerNoRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { status, why } = reasons[error.code ?? ''] ?? { status: 400, why: 'This is no HTTP request' }
  const body = JSON.stringify(badParameter(why).toBody())
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}

const reasons: Readonly<Record<string, { readonly status: number; readonly why: string }>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, why: 'The request did not come to its end in time' },
  HPE_HEADER_OVERFLOW: { status: 431, why: 'The headers of the request are too large' },
}
