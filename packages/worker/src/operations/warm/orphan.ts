import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Exit } from '../process.ts'
import { startOf } from '../session.ts'

const pollMs = 50

/**
 * How an operation ends whose parent was killed: it goes on, and nobody tells its exit code. What has answered has ended
 * well; what has not was killed as well, as far as anybody knows. With `over`, nobody waits for its end any longer.
 */
export async function orphansExit(leader: number | null, folder: string, over: AbortSignal): Promise<Exit> {
  const startedAt = leader === null ? null : startOf(leader)
  while (!over.aborted && leader !== null && startedAt !== null && startOf(leader) === startedAt) {
    await delay(pollMs)
  }
  return exitByAnswer(folder)
}

/** How what is gone has ended, as far as its folder tells. */
export function exitByAnswer(folder: string): Exit {
  return existsSync(join(folder, 'output.json'))
    ? { kind: 'exited', code: 0 }
    : { kind: 'signalled', signal: 'SIGKILL' }
}
