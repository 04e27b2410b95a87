import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

/** An operation that has called and waits to be told how to end. */
export type Call = {
  readonly who: string
  readonly instance: string
  readonly pid: number
  /** The token of its execution. */
  readonly token: string
  /** Whether it was told that it may have run before. */
  readonly resume: boolean
  answer(how: 'ok' | 'fail' | 'retry'): void
  /** Resolves when its process is gone. */
  readonly gone: Promise<void>
}

/**
 * Where operations of `callScript` come by: tests see that they run and decide how they end, so nothing has to be
 * timed.
 */
export type Gate = {
  readonly port: number
  /** The next operation to call; each is handed out once, in the order of the calls. */
  next(): Promise<Call>
  /** From now on every call that nobody waits for is answered at once. */
  alwaysAnswer(how: 'ok' | 'fail' | undefined): void
  /** Who has called so far. */
  readonly seen: readonly string[]
  close(): Promise<void>
}

export async function openGate(): Promise<Gate> {
  const calls: Call[] = []
  const seen: string[] = []
  const waiting: ((call: Call) => void)[] = []
  const sockets = new Set<Socket>()
  let always: 'ok' | 'fail' | undefined
  const server = createServer((socket) => {
    sockets.add(socket)
    const gone = new Promise<void>((resolve) => socket.on('close', () => resolve()))
    socket.on('close', () => sockets.delete(socket))
    const lines = createInterface({ input: socket })
    // A process that is killed breaks its connection, which the socket says, and the lines repeat.
    for (const one of [socket, lines]) one.on('error', () => {})
    lines.once('line', (line) => {
      const answer = (how: string) => void socket.end(`${how}\n`)
      const call: Call = { ...JSON.parse(line), answer, gone }
      seen.push(call.who)
      const next = waiting.shift()
      if (next !== undefined) next(call)
      else if (always !== undefined) answer(always)
      else calls.push(call)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the gate listens on no port')
  return {
    port: address.port,
    seen,
    async next() {
      return calls.shift() ?? new Promise<Call>((resolve) => waiting.push(resolve))
    },
    alwaysAnswer(how) {
      always = how
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** The Python script of an operation that calls the gate; its inputs are `port` and `who`. */
export const callScript = `
import json, os, socket
from cloudify import ctx
from cloudify.state import ctx_parameters
from cloudify.exceptions import NonRecoverableError, RecoverableError
connection = socket.create_connection(('127.0.0.1', int(ctx_parameters['port'])))
connection.sendall((json.dumps({
    'who': ctx_parameters['who'], 'instance': ctx.instance.id, 'pid': os.getpid(),
    'token': ctx.execution_token, 'resume': bool(ctx._context.get('resume')),
}) + '\\n').encode())
answer = connection.makefile().readline().strip()
if answer == 'fail':
    raise NonRecoverableError('told to fail')
if answer == 'retry':
    raise RecoverableError('told to retry', retry_after=0)
`
