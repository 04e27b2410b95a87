import { randomUUID } from 'node:crypto'
import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { notesFolder } from './folders.ts'

/** What an environment was made of: it stays as long as that is there. */
export type Origin =
  | {
      readonly kind: 'wagon'
      readonly tenantId: number
      readonly pluginId: string
      readonly sha256: string
    }
  | {
      readonly kind: 'source'
      readonly tenantId: number
      readonly deploymentId: string
      /** Of its blueprint's archive. */
      readonly sha256: string
    }

/** Says that an environment is complete, and which folder it is. */
export type Note = {
  readonly name: string
  readonly folder: string
  readonly origin: Origin
  readonly installed: readonly string[]
}

export async function readNote(root: string, name: string): Promise<Note | undefined> {
  try {
    return JSON.parse(await readFile(noteFile(root, name), 'utf8')) as Note
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Answers false when there is one already: that stays. */
export async function writeNote(root: string, note: Note): Promise<boolean> {
  const file = noteFile(root, note.name)
  const beside = `${file}.${randomUUID()}.new`
  await writeFile(beside, JSON.stringify(note), { mode: 0o600, flush: true })
  try {
    await link(beside, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(beside, { force: true })
  }
}

export const removeNote = (root: string, name: string): Promise<void> =>
  rm(noteFile(root, name), { force: true })

/** Of complete ones; by the names of the files. */
export async function listNotes(root: string): Promise<ReadonlyMap<string, Note>> {
  const notes = new Map<string, Note>()
  for (const file of await readdir(notesFolder(root))) {
    if (!file.endsWith('.json')) continue
    const note = await readNote(root, file.slice(0, -'.json'.length))
    if (note !== undefined) notes.set(file, note)
  }
  return notes
}

const noteFile = (root: string, name: string) => join(notesFolder(root), `${name}.json`)
