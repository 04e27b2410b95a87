import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { watcher } from '../group-watcher.ts'
import type { OperationUser } from '../operation-user.ts'
import type { Exit } from '../process.ts'
import { markVariable } from '../session.ts'
import { withoutNewPrivileges } from '../setpriv.ts'
import { lineReader } from './lines.ts'
import { type Message, parseMessage } from './message.ts'

export type ParentCommand = {
  readonly python: string
  readonly user: OperationUser
  readonly environment: Readonly<Record<string, string>>
  readonly runtimeFolder: string
  readonly folder: string
}

export type Forked =
  | { readonly kind: 'started'; readonly pid: number; readonly exit: Promise<Exit | 'orphaned'> }
  | { readonly kind: 'refused'; readonly reason: string }
  /** The parent is no more. Whether it has started the operation, the claim says. */
  | { readonly kind: 'gone' }

/** A Python process that forks for every operation (python/operations_parent.py). */
export type Parent = {
  /** Why it can be none; undefined when it is ready. */
  readonly ready: Promise<string | undefined>
  readonly gone: Promise<void>
  /** Operations that it has been given and that have not ended. */
  readonly running: number
  /**
   * Forks for the operation in the folder, whose process begins if it can rename the claim there, a file, to
   * `input.json`. The mark is to be seen of it before.
   */
  fork(folder: string, claim: string, mark: string): Promise<Forked>
  /** Settles when it is gone. */
  end(): Promise<void>
}

/** Operations of its user can halt a parent, or bring it never to answer. None of them is kept waiting by that for ever. */
export type ParentPatience = {
  /** How long it may take until it is ready. */
  readonly readyMs: number
  /** For how long it may be silent while it has operations, when it is asked. */
  readonly silentMs: number
}

/** So often is it asked in that time: this process may have been halted itself. */
const timesAsked = 3

/** What it prints is kept in part, and not listened to without an end. */
const mostErrors = 64 * 1024

/** For what it has said last, should something else have its channel open when it is gone. */
const drainMs = 1_000

/** An idle parent ends at once when it is told to. */
const lastMs = 2_000

type Given = {
  readonly isStarted: boolean
  readonly onStart: (forked: Forked) => void
  /** `orphaned`: it may go on, but the parent that would tell of its end is no more. */
  readonly onExit: (exit: Exit | 'orphaned') => void
}

export function startParent(
  { python, user, environment, runtimeFolder, folder }: ParentCommand,
  { readyMs, silentMs }: ParentPatience,
): Parent {
  const mark = randomUUID()
  const command = [python, '-u', join(runtimeFolder, 'operations_parent.py')] as const
  const [file, ...args] = user === null ? command : withoutNewPrivileges(command)
  const child = spawn(file, args, {
    cwd: folder,
    env: { ...environment, [markVariable]: mark },
    detached: true,
    // Its channel is a pair of sockets without a name, which only the two of them hold.
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    ...(user !== null && { uid: user, gid: user }),
  })
  const channel = child.stdio[3] as Socket
  const ready = Promise.withResolvers<string | undefined>()
  const gone = Promise.withResolvers<void>()
  const given = new Map<number, Given>()
  let lastId = 0
  let isGone = false
  let isReady = false
  let unanswered = 0
  let errors = ''
  let errorBytes = 0

  // An idle parent keeps no process from ending.
  const hold = (how: 'ref' | 'unref') => {
    for (const one of [child, channel, child.stderr as Socket | null]) one?.[how]()
  }

  /** @throws Error at what was not asked: there is no end of listening to it */
  function hear(message: Message): void {
    if (message.kind === 'alive') {
      if (unanswered === 0) throw new Error('nobody asked')
      unanswered -= 1
    } else if (message.kind === 'ready' || message.kind === 'cannot') {
      if (isReady) throw new Error('it was ready')
      isReady = true
      clearTimeout(readyTimer)
      ready.resolve(message.kind === 'ready' ? undefined : message.reason)
    } else if (message.kind === 'started') {
      const one = given.get(message.id)
      if (one === undefined || one.isStarted) throw new Error('no such operation')
      const { promise, resolve } = Promise.withResolvers<Exit | 'orphaned'>()
      given.set(message.id, { isStarted: true, onStart: () => {}, onExit: resolve })
      one.onStart({ kind: 'started', pid: message.pid, exit: promise })
    } else {
      const one = given.get(message.id)
      if (one?.isStarted !== (message.kind === 'ended')) throw new Error('no such operation')
      given.delete(message.id)
      if (given.size === 0) hold('unref')
      if (message.kind === 'ended') one.onExit(message.exit)
      else one.onStart(message)
    }
  }

  const readyTimer = setTimeout(() => {
    ready.resolve(`it was not ready after ${readyMs / 1000} seconds`)
    child.kill('SIGKILL')
  }, readyMs).unref()
  const askTimer = setInterval(() => {
    if (given.size === 0) return
    if (unanswered === timesAsked) return void child.kill('SIGKILL')
    unanswered += 1
    channel.write('[]\n')
  }, silentMs / timesAsked).unref()

  const read = lineReader((line) => hear(parseMessage(line)))
  channel.setEncoding('utf8').on('data', (piece: string) => {
    try {
      read(piece)
    } catch {
      child.kill('SIGKILL')
    }
  })
  channel.on('error', () => {}) // `close` says that it is gone
  channel.on('end', () => child.kill('SIGKILL')) // it can be told nothing any more
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
    errors = (errors + piece).slice(-2_000)
    errorBytes += piece.length
    if (errorBytes > mostErrors) child.stderr?.destroy()
  })
  const end = (reason: string) => {
    if (isGone) return
    isGone = true
    clearTimeout(readyTimer)
    clearInterval(askTimer)
    if (child.pid !== undefined) watcher.release({ leader: child.pid, mark })
    ready.resolve(reason)
    gone.resolve()
    for (const { onStart, onExit } of given.values()) {
      onStart({ kind: 'gone' })
      onExit('orphaned')
    }
    given.clear()
  }
  child.once('error', ({ message }) => end(message))
  child.once('exit', () => {
    setTimeout(() => {
      channel.destroy()
      child.stderr?.destroy()
    }, drainMs).unref()
  })
  // After its last message.
  child.once('close', () => end(errors.trim() || 'it ended while it started'))
  if (child.pid !== undefined) watcher.watch({ leader: child.pid, mark })

  return {
    ready: ready.promise.finally(() => given.size === 0 && hold('unref')),
    gone: gone.promise,
    get running() {
      return given.size
    },
    fork(operationFolder, claim, operationMark) {
      if (isGone) return Promise.resolve({ kind: 'gone' })
      lastId += 1
      const { promise, resolve } = Promise.withResolvers<Forked>()
      given.set(lastId, { isStarted: false, onStart: resolve, onExit: () => {} })
      hold('ref')
      channel.write(`${JSON.stringify([lastId, operationFolder, claim, operationMark])}\n`)
      return promise
    },
    end() {
      channel.end()
      // Whoever of its user's has stopped it does not keep it.
      setTimeout(() => isGone || child.kill('SIGKILL'), lastMs).unref()
      return gone.promise
    },
  }
}
