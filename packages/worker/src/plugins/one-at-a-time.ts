import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { takeFolder } from '@tutti/storage'
import { locksFolder } from './folders.ts'
import { installationLimits } from './run-installer.ts'

const pollMs = 100
/**
 * A worker in another container dies without our seeing it, and one of this machine may be halted: nobody takes longer.
 * What was made twice then does no harm.
 */
const longestMs = (installationLimits.seconds + 60) * 1_000

/** Does the work while no other worker of this machine does it for that name. @throws the signal's reason */
export async function oneAtATime<Value>(
  root: string,
  name: string,
  signal: AbortSignal,
  work: () => Promise<Value>,
): Promise<Value> {
  const folder = join(locksFolder(root), name)
  for (const startedMs = performance.now(); performance.now() - startedMs < longestMs; ) {
    signal.throwIfAborted()
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const taken = await takeFolder(folder, async ({ since }) => Date.now() - Date.parse(since) < longestMs)
    if (!('heldBy' in taken)) {
      try {
        return await work()
      } finally {
        await taken.release()
      }
    }
    await delay(pollMs, undefined, { signal })
  }
  return work()
}
