import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, cp, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { OperationUser } from '../operations/index.ts'
import { folderOf, insideOf } from './names.ts'
import { readNote, removeNote, unlessAbsent, writeNote } from './notes.ts'
import { openTenantFolder } from './open-folder.ts'
import { inTurn } from './turns.ts'

export type LaidOutBlueprint = {
  readonly tenant: string
  readonly id: string
  readonly sha256: string
  /** The unpacked archive, of which this is a copy: scripts must not be able to change what others are made from. */
  readonly unpacked: () => Promise<string>
}

/** Lays the files of a blueprint out to be read, unless they are there. */
export async function layOutBlueprint(
  root: string,
  { tenant, id, sha256, unpacked }: LaidOutBlueprint,
  user: OperationUser,
): Promise<void> {
  const owner = { kind: 'blueprints', tenant, id } as const
  const folder = folderOf(root, owner)
  if (folder === undefined) return
  const isLaidOut = async () => {
    const note = await readNote(root, owner)
    return note?.content === sha256 && note.user === user && (await isThere(folder))
  }
  if (await isLaidOut()) return
  const source = await unpacked()
  await openTenantFolder(root, 'blueprints', tenant, user)
  const staging = join(insideOf(root), 'staging')
  await mkdir(staging, { recursive: true, mode: 0o700 })
  const [staged, old] = [join(staging, randomUUID()), join(staging, randomUUID())]
  try {
    await cp(source, staged, { recursive: true, mode: constants.COPYFILE_FICLONE })
    await setModes(staged, { folder: 0o555, file: 0o444 })
    // To be moved, the folder itself must be its owner's to write.
    await chmod(staged, 0o755)
    await inTurn(root, owner, async () => {
      // Another worker's scripts may be reading it already.
      if (await isLaidOut()) return
      await removeNote(root, owner)
      if (await isThere(folder)) {
        await chmod(folder, 0o755)
        await rename(folder, old)
      }
      await rename(staged, folder)
      await chmod(folder, 0o555)
      await writeNote(root, { ...owner, user, content: sha256, version: '0', fingerprint: '' })
    })
  } finally {
    await removeReadOnly(staged)
    await removeReadOnly(old)
  }
}

/** Only ever the worker's own copy: no operation's user can write into it, or lead the way out of it. */
export async function removeReadOnly(folder: string): Promise<void> {
  if (!(await isThere(folder))) return
  await setModes(folder, { folder: 0o700 })
  await rm(folder, { recursive: true, force: true })
}

async function setModes(
  path: string,
  modes: { readonly folder: number; readonly file?: number },
): Promise<void> {
  const found = await lstat(path)
  if (found.isDirectory()) {
    // Entered before it is closed, or after it is opened.
    await chmod(path, 0o700)
    for (const name of await readdir(path)) await setModes(join(path, name), modes)
    await chmod(path, modes.folder)
  } else if (found.isFile() && modes.file !== undefined) {
    await chmod(path, modes.file | ((found.mode & 0o100) === 0 ? 0 : 0o111))
  }
}

const isThere = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(unlessAbsent(undefined))) !== undefined
