import { randomUUID } from 'node:crypto'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

type Options = {
  /** Which of these names in the folder something refers to. */
  readonly wanted: (names: readonly string[]) => Promise<ReadonlySet<string>>
  /** How long something must have been unwanted: longer than anybody takes who has begun to use it. */
  readonly afterMs: number
  readonly now?: () => number
  /** Of what is complete no more, and that nobody uses. */
  readonly remove?: (path: string) => Promise<void>
}

/**
 * Removes from a folder what nothing has referred to for long, as each call sees it; answers the names. Several
 * processes may do so at once. What is removed disappears in one step, so that nobody takes half of it for the whole.
 */
export function createAbandonedSweep(
  folder: string,
  {
    wanted,
    afterMs,
    now = () => performance.now(),
    remove = (path) => rm(path, { recursive: true, force: true }),
  }: Options,
): () => Promise<readonly string[]> {
  let unwantedSince = new Map<string, number>()

  return async () => {
    const names = await readdir(folder).catch(unlessMissing([]))
    const kept = await wanted(names)
    const at = now()
    unwantedSince = new Map(
      names.filter((name) => !kept.has(name)).map((name) => [name, unwantedSince.get(name) ?? at]),
    )
    const gone = [...unwantedSince].filter(([, since]) => at - since >= afterMs).map(([name]) => name)
    for (const name of gone) {
      const doomed = join(folder, `gone-${randomUUID()}`)
      await rename(join(folder, name), doomed).catch(unlessMissing(undefined))
      await remove(doomed)
    }
    return gone
  }
}

const unlessMissing =
  <Value>(instead: Value) =>
  (error: NodeJS.ErrnoException): Value => {
    if (error.code === 'ENOENT') return instead
    throw error
  }
