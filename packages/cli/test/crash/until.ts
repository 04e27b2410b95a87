import { setTimeout as delay } from 'node:timers/promises'

/** Polls until `look` answers something; errors of the last look are told when time runs out. */
export async function until<T>(
  what: string,
  timeoutMs: number,
  look: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  let last: unknown
  for (;;) {
    try {
      const found = await look()
      if (found !== undefined && found !== false) return found
      last = undefined
    } catch (error) {
      last = error
    }
    if (Date.now() > deadline) {
      const why = last === undefined ? '' : `: ${last instanceof Error ? last.message : last}`
      throw new Error(`waited ${timeoutMs / 1000} s for ${what}${why}`)
    }
    await delay(20)
  }
}
