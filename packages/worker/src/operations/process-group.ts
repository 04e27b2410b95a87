import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { watcher } from './group-watcher.ts'
import { killStarted } from './kill-started.ts'
import type { OperationUser } from './operation-user.ts'
import type { Exit, OperationProcess } from './process.ts'
import { markVariable } from './session.ts'
import { withoutNewPrivileges } from './setpriv.ts'

export type GroupCommand = {
  readonly command: string
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly folder: string
  /**
   * File descriptor that standard output and error go to, a file, as daemons may keep it; or who reads the two, of what
   * starts no daemons.
   */
  readonly output: number | ((out: Readable, errors: Readable) => void)
  readonly user: OperationUser
}

/**
 * The group dies with this worker until it is left or killed. Standard input is a pipe that stays open as long as this
 * worker lives: should the watcher be gone as well, its end tells the child.
 */
export function startProcessGroup({
  command,
  args,
  environment,
  folder,
  output,
  user,
}: GroupCommand): OperationProcess {
  const mark = randomUUID()
  const [file, ...rest] = user === null ? [command, ...args] : withoutNewPrivileges([command, ...args])
  const child = spawn(file, rest, {
    cwd: folder,
    env: { ...environment, [markVariable]: mark },
    detached: true,
    stdio: typeof output === 'number' ? ['pipe', output, output] : ['pipe', 'pipe', 'pipe'],
    ...(user !== null && { uid: user, gid: user }),
  })
  if (typeof output !== 'number' && child.stdout !== null && child.stderr !== null) {
    output(child.stdout, child.stderr)
  }
  child.stdin?.on('error', () => {}) // the child closed its end; nothing is ever written
  const { pid } = child
  if (pid === undefined) return { exit: exitOf(child), kill: async () => {}, leave() {} } // never started
  const started = { leader: pid, mark, user }
  watcher.watch(started)
  const leave = () => watcher.release(started)
  return { exit: exitOf(child), kill: (graceMs) => killStarted(started, graceMs).finally(leave), leave }
}

function exitOf(child: ChildProcess): Promise<Exit> {
  const { promise, resolve } = Promise.withResolvers<Exit>()
  child.once('error', ({ message }) => resolve({ kind: 'not-started', reason: message }))
  child.once('exit', (code, signal) => {
    child.stdin?.destroy()
    resolve(signal === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'signalled', signal })
  })
  return promise
}
