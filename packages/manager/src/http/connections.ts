import type { IncomingMessage, Server } from 'node:http'
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
export function watchConnections(server: Server): Connections {
  const open = new Map<Socket, Connection>()
  let isDraining = false
  let onEmpty: () => void = () => {}

  /** Nothing has come since the last answer: who is only connected loses nothing. */
  const isIdle = (socket: Socket, { requests, bytesAnswered }: Connection) =>
    requests === 0 && socket.bytesRead === bytesAnswered

  server.on('connection', (socket: Socket) => {
    open.set(socket, { requests: 0, bytesAnswered: 0 })
    socket.once('close', () => {
      open.delete(socket)
      if (open.size === 0) onEmpty()
    })
    if (isDraining) socket.destroy()
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

type Connection = { requests: number; bytesAnswered: number }
