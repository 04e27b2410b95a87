import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createGroupWatcher } from './group-watcher.ts'
import type { OperationUser } from './operation-user.ts'
import { groupsOf, markVariable, type Started } from './session.ts'
import { withoutNewPrivileges } from './setpriv.ts'

/** How long a process has after SIGTERM before SIGKILL (docs/reference/operations.md, "Process"). */
export const killGraceMs = 5000
const pollMs = 25

export type Exit =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'not-started'; readonly reason: string }

/** A child that leads a session and a process group of its own, so that all it started can be killed with it. */
export type ProcessGroup = {
  /** Settles when the leader has exited, whoever still holds its output. */
  readonly exit: Promise<Exit>
  /** Ends all that it started, which has `graceMs` to end by itself; settles when nothing of it is left. */
  kill(graceMs: number): Promise<void>
  /** Lets what is left of it go on, also when this worker dies. */
  leave(): void
}

export type GroupCommand = {
  readonly command: string
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly folder: string
  /** File descriptor that standard output and error go to. A file, not a pipe: daemons may keep it. */
  readonly output: number
  readonly user: OperationUser
}

const watcher = createGroupWatcher()

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
}: GroupCommand): ProcessGroup {
  const mark = randomUUID()
  const [file, ...rest] = user === null ? [command, ...args] : withoutNewPrivileges([command, ...args])
  const child = spawn(file, rest, {
    cwd: folder,
    env: { ...environment, [markVariable]: mark },
    detached: true,
    stdio: ['pipe', output, output],
    ...(user !== null && { uid: user, gid: user }),
  })
  child.stdin?.on('error', () => {}) // the child closed its end; nothing is ever written
  const { pid } = child
  if (pid === undefined) return { exit: exitOf(child), kill: async () => {}, leave() {} } // never started
  const started = { leader: pid, mark }
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

async function killStarted(started: Started, graceMs: number): Promise<void> {
  const deadline = performance.now() + graceMs
  let signalled = graceMs > 0 && signal(started, 'SIGTERM')
  while (signalled && performance.now() < deadline) {
    await delay(pollMs)
    signalled = signal(started, 0)
  }
  // What was being started just now is found at the next look.
  const givenUp = performance.now() + killGraceMs
  while (signal(started, 'SIGKILL') && performance.now() < givenUp) await delay(pollMs)
}

/** False when nothing of it is left, or nothing that this user may end (a `sudo` of the script). */
function signal(started: Started, name: NodeJS.Signals | 0): boolean {
  let signalled = false
  for (const group of groupsOf(started)) signalled = signalGroup(group, name) || signalled
  return signalled
}

/** The number of a group is not given to another process while it has a member, or its session has one. */
function signalGroup(group: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, name)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ESRCH' || code === 'EPERM') return false
    throw error
  }
}
