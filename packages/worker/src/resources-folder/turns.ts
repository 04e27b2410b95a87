import { mkdir } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { takeFolder } from '@tutti/storage'
import { lockFolder, type Owner } from './names.ts'

const pollMs = 20
/** Whoever has it so long is halted, as a rule, and must not hold others up: what they make is whole either way. */
const longestWaitMs = 30_000
/** A worker in another container dies without our seeing it: nobody takes so long for one folder. */
const longestElsewhereMs = 3_600_000

/**
 * Makes or removes one folder while no other worker of this machine does. The workers share what they lay out, so each
 * looks again at what is there when its turn has come.
 */
export async function inTurn<Value>(root: string, owner: Owner, work: () => Promise<Value>): Promise<Value> {
  const folder = lockFolder(root, owner)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const startedMs = performance.now(); performance.now() - startedMs < longestWaitMs; ) {
    const taken = await takeFolder(
      folder,
      async ({ since }) => Date.now() - Date.parse(since) < longestElsewhereMs,
    )
    if (!('heldBy' in taken)) {
      try {
        return await work()
      } finally {
        await taken.release()
      }
    }
    await delay(pollMs)
  }
  return work()
}

/** What this process does to one folder, it does one after the other. */
export function createTurns() {
  const last = new Map<string, Promise<unknown>>()
  return async <Value>(key: string, work: () => Promise<Value>): Promise<Value> => {
    const before = last.get(key) ?? Promise.resolve()
    const turn = before.then(work, work)
    last.set(key, turn)
    try {
      return await turn
    } finally {
      if (last.get(key) === turn) last.delete(key)
    }
  }
}
