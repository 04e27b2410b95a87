import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { insideOf, noteFile, type Owner } from './names.ts'

/** What was laid out last in a folder, written when it is complete. */
export type Note = Owner & {
  /** Whose it is; null: the worker's own user's. */
  readonly user: number | null
  /** Of a blueprint: its archive. Of a deployment: when it was created, as another one may have had its id before. */
  readonly content: string
  /** Of a deployment: the stored state that it was taken from or stored as; "0" for none. */
  readonly version: string
  /** Of a deployment: what its files looked like then. */
  readonly fingerprint: string
}

export async function readNote(root: string, owner: Owner): Promise<Note | undefined> {
  return parse(noteFile(root, owner))
}

/** Else it is one that is being written. */
export const isNoteFile = (name: string): boolean => name.endsWith('.json')

export async function listNotes(root: string): Promise<readonly Note[]> {
  const folder = join(insideOf(root), 'notes')
  const names = await readdir(folder).catch(unlessAbsent([]))
  const notes = await Promise.all(names.filter(isNoteFile).map((name) => parse(join(folder, name))))
  return notes.filter((note) => note !== undefined)
}

export async function writeNote(root: string, note: Note): Promise<void> {
  const file = noteFile(root, note)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const unfinished = `${file}.${randomUUID()}`
  await writeFile(unfinished, JSON.stringify(note), { mode: 0o600 })
  await rename(unfinished, file)
}

export const removeNote = (root: string, owner: Owner): Promise<void> =>
  rm(noteFile(root, owner), { force: true })

async function parse(file: string): Promise<Note | undefined> {
  const text = await readFile(file, 'utf8').catch(unlessAbsent(undefined))
  return text === undefined ? undefined : (JSON.parse(text) as Note)
}

export const unlessAbsent =
  <Value>(instead: Value) =>
  (error: NodeJS.ErrnoException): Value => {
    if (error.code === 'ENOENT') return instead
    throw error
  }
