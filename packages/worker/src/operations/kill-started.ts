import { setTimeout as delay } from 'node:timers/promises'
import { groupsOf, type Started } from './session.ts'

/** How long a process has after SIGTERM before SIGKILL (docs/reference/operations.md, "Process"). */
export const killGraceMs = 5000
const pollMs = 25

/** Ends all of it; settles when nothing of it is left. */
export async function killStarted(started: Started, graceMs: number): Promise<void> {
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
