import type { IncomingMessage, Server } from 'node:http'
import { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'

export type Connections = {
  /**
   * Ends every connection on which nothing is under way, and by the deadline all others. Resolves when none is left;
   * the server must have stopped listening.
   */
  drain(deadlineMs: number): Promise<void>
}

/**
 * The connections of a server that is to end one day. Node's own way out, `server.close`, waits for ever for whoever
 * connected and sent nothing, half of the headers or half of a body: its time limits no longer count from then on.
 */
export function watchConnections(server: Server | HttpsServer): Connections {
  const open = new Map<Socket, Connection>()
  let isDraining = false
  let onEmpty: () => void = () => {}

  /** Nothing has come since the last answer: who is only connected loses nothing. */
  const isIdle = (socket: Socket, { requests, bytesAnswered }: Connection) =>
    requests === 0 && socket.bytesRead === bytesAnswered

  function watch(socket: Socket): void {
    open.set(socket, { requests: 0, bytesAnswered: socket.bytesRead })
    socket.once('close', () => {
      open.delete(socket)
      if (open.size === 0) onEmpty()
    })
    if (isDraining) socket.destroy()
  }

  // Requests come over the socket inside of TLS; until that one is there, nothing but a handshake has come.
  const handshakes = new Map<string, Socket>()
  server.on('connection', (socket: Socket) => {
    if (!(server instanceof HttpsServer)) return watch(socket)
    const peer = peerOf(socket)
    handshakes.set(peer, socket)
    socket.once('close', () => {
      if (handshakes.get(peer) === socket) handshakes.delete(peer)
    })
    if (isDraining) socket.destroy()
  })
  server.on('secureConnection', (socket: Socket) => {
    handshakes.delete(peerOf(socket))
    watch(socket)
  })
  server.on('request', ({ socket }: IncomingMessage, response) => {
    const connection = open.get(socket)
    if (connection === undefined) return
    connection.requests += 1
    response.once('close', () => {
      connection.requests -= 1
      connection.bytesAnswered = socket.bytesRead
      if (isDraining && connection.requests === 0) socket.end()
    })
  })

  return {
    async drain(deadlineMs) {
      isDraining = true
      for (const socket of handshakes.values()) socket.destroy()
      for (const [socket, connection] of open) if (isIdle(socket, connection)) socket.destroy()
      if (open.size === 0) return
      const empty = new Promise<void>((resolve) => {
        onEmpty = resolve
      })
      const late = setTimeout(() => {
        for (const socket of open.keys()) socket.destroy()
      }, deadlineMs)
      await empty
      clearTimeout(late)
    },
  }
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

type Connection = { requests: number; bytesAnswered: number }
