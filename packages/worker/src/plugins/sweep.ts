import { lstat } from 'node:fs/promises'
import { createAbandonedSweep, type Database } from '@tutti/storage'
import { removeFolder } from '../operations/index.ts'
import { insideOf, locksFolder, notesFolder } from './folders.ts'
import { listNotes, type Note } from './notes.ts'
import { findPresent } from './queries.ts'

/** Longer than an installation takes, and than most operations of a plugin that was deleted by force. */
const afterMs = 3_600_000

/**
 * Removes what is of plugins, deployments and versions of blueprints that are no more, and what killed workers had begun:
 * first the note, so that nobody begins to use it, then its environment.
 */
export function createEnvironmentSweep(
  db: Database,
  root: string,
  { now }: { readonly now?: () => number } = {},
): () => Promise<void> {
  const options = { afterMs, ...(now && { now }) }
  const sweeps = [
    createAbandonedSweep(notesFolder(root), {
      ...options,
      wanted: async () => {
        const notes = [...(await listNotes(root))]
        const present = await findPresent(
          db,
          notes.map(([, { origin }]) => origin),
        )
        return new Set(notes.filter((_note, index) => present.has(index)).map(([file]) => file))
      },
    }),
    createAbandonedSweep(locksFolder(root), {
      ...options,
      wanted: async () => new Set((await allNotes(root)).map(({ name }) => name)),
    }),
    createAbandonedSweep(root, {
      ...options,
      remove: removeByOwner,
      wanted: async () => new Set([inside(root), ...(await allNotes(root)).map(({ folder }) => folder)]),
    }),
  ]
  return async () => {
    for (const sweep of sweeps) await sweep()
  }
}

/** Those of sources are a tenant's own: root could be led out of them by whoever exchanges a folder for a link meanwhile. */
async function removeByOwner(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => undefined)
  if (found === undefined) return // another worker of this machine was first
  await removeFolder(folder, found.uid === process.getuid?.() ? null : found.uid)
}

const allNotes = async (root: string): Promise<readonly Note[]> => [...(await listNotes(root)).values()]

const inside = (root: string): string => insideOf(root).slice(root.length + 1)
