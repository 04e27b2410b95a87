import { chmod, open } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { handOver, type OperationUser } from '../operations/index.ts'
import { bounds } from './bounds.ts'

/** The name of the socket in the folder of the workflow's process. */
export const socketName = 'workflow.sock'

/** One connection, of the process that runs the workflow. */
export type Channel = {
  /** Settles when nobody is at its other end any more; with why, if it was closed for what was said. */
  readonly gone: Promise<string | undefined>
  send(message: unknown): void
  /** Resolves when the process has read so much that more may be sent, or is gone. */
  room(): Promise<void>
  close(why?: string): void
}

/**
 * Listens in the folder for one connection; who connects is of the folder's user. Lines are handed over one by one, each
 * when the one before has been dealt with, so that nothing piles up here.
 */
export async function openChannel(
  folder: string,
  user: OperationUser,
  onLine: (line: string) => Promise<void>,
): Promise<Channel> {
  const gone = Promise.withResolvers<string | undefined>()
  let socket: Socket | undefined
  let isGone = false
  /** What is said before the process has connected: it was cancelled while it started. */
  let early = ''
  const server = createServer({ pauseOnConnect: false }, (connected) => {
    if (socket !== undefined) {
      connected.destroy()
      return
    }
    socket = connected
    server.close()
    if (early !== '') connected.write(early)
    connected.on('error', () => {}) // `close` follows
    connected.once('close', () => close())
    // However the connection ends, its process tells how the workflow has.
    read(connected, hear).then(close, (error: Error) => close('code' in error ? undefined : error.message))
  })
  server.on('error', (error) => close(error.message))
  await listenIn(server, folder)
  await chmod(join(folder, socketName), 0o600)
  await handOver(join(folder, socketName), user)

  /** Who asks and does not read the answers is not heard until it does: they would pile up here. */
  async function hear(line: string): Promise<void> {
    await room()
    if (!isGone) await onLine(line)
  }

  async function room(): Promise<void> {
    while (!isGone && socket !== undefined && socket.writableLength > bounds.unreadBytes) {
      const drained = Promise.withResolvers<void>()
      socket.once('drain', drained.resolve)
      await Promise.race([drained.promise, gone.promise])
      socket.off('drain', drained.resolve)
    }
  }

  function close(why?: string): void {
    if (isGone) return
    isGone = true
    server.close()
    socket?.destroy()
    gone.resolve(why)
  }

  return {
    gone: gone.promise,
    send(message) {
      if (isGone) return
      const line = `${JSON.stringify(message)}\n`
      if (socket === undefined) early += line
      else socket.write(line)
    },
    room,
    close,
  }
}

/**
 * By way of a descriptor: the path of a socket may have some 100 bytes only. It stays open as long as the server, which
 * removes the socket by this path at its end.
 */
async function listenIn(server: Server, folder: string): Promise<void> {
  const opened = await open(folder, 'r')
  server.once('close', () => opened.close())
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(`/proc/self/fd/${opened.fd}/${socketName}`, resolve)
  try {
    await promise
  } catch (error) {
    server.close()
    await opened.close()
    throw error
  }
  server.off('error', reject)
}

/** @throws Error at a line that is too long, or what `onLine` rejects with */
async function read(socket: Socket, onLine: (line: string) => Promise<void>): Promise<undefined> {
  let pieces: Buffer[] = []
  let length = 0
  for await (const data of socket as AsyncIterable<Buffer>) {
    let from = 0
    for (let end = data.indexOf(10); end !== -1; end = data.indexOf(10, from)) {
      const line = Buffer.concat([...pieces, data.subarray(from, end)]).toString('utf8')
      pieces = []
      length = 0
      from = end + 1
      await onLine(line)
    }
    if (from < data.length) pieces.push(data.subarray(from))
    length += data.length - from
    if (length > bounds.lineBytes) throw new Error('a line without an end')
  }
  return undefined
}
