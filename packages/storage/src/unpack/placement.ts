import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ArchiveEntry } from './archive-entry.ts'
import { parseEntryPath, printName } from './entry-path.ts'
import { tooLarge, tooManyEntries, type UnpackLimits } from './limits.ts'
import { UnpackError } from './unpack-error.ts'

/** What has been unpacked so far. */
export type Placement = {
  readonly folder: string
  readonly limits: UnpackLimits
  /** Relative path → what it is. */
  readonly placed: Map<string, 'file' | 'directory'>
  bytes: number
  /** Entries of the archive, however many of them have one path. */
  visited: number
}

export const newPlacement = (folder: string, limits: UnpackLimits): Placement => ({
  folder,
  limits,
  placed: new Map(),
  bytes: 0,
  visited: 0,
})

/** Puts one entry into the folder. @throws UnpackError */
export async function place(placement: Placement, entry: ArchiveEntry): Promise<void> {
  placement.visited += 1
  if (placement.visited > placement.limits.maxEntries) throw tooManyEntries(placement.limits.maxEntries)
  const path = parseEntryPath(entry.name)
  if (entry.kind === 'link' || entry.kind === 'special') {
    const what = entry.kind === 'link' ? 'a link' : 'neither a file nor a directory'
    throw new UnpackError(
      'unsafe_entry',
      `the archive's entry ${printName(entry.name)} is ${what}; only files and directories are unpacked. Pack what it ` +
        'stands for instead (tar --dereference --hard-dereference, zip without -y)',
    )
  }
  if (entry.kind === 'directory') return await placeDirectory(placement, path)
  await placeDirectory(placement, path.slice(0, -1))
  await placeFile(placement, path, entry)
}

/** Makes `path` and what is above it, one level at a time: each counts. */
async function placeDirectory(placement: Placement, path: readonly string[]): Promise<void> {
  for (let depth = 1; depth <= path.length; depth += 1) {
    const directory = path.slice(0, depth).join('/')
    const found = placement.placed.get(directory)
    if (found === 'directory') continue
    if (found === 'file') throw conflict(directory)
    register(placement, directory, 'directory')
    await mkdir(join(placement.folder, directory))
  }
}

async function placeFile(placement: Placement, path: readonly string[], entry: ArchiveEntry): Promise<void> {
  const name = path.join('/')
  if (name === '' || placement.placed.get(name) === 'directory') throw conflict(name)
  const target = join(placement.folder, name)
  // As every unpacker does: of several entries for a file the last one counts.
  if (placement.placed.get(name) === 'file') await rm(target)
  else register(placement, name, 'file')

  const { maxBytes } = placement.limits
  // Refused by what it claims before any of it is read; and by what it is, should it have lied.
  if (placement.bytes + entry.size > maxBytes) throw tooLarge(maxBytes)
  const file = await open(target, 'wx', entry.isExecutable ? 0o777 : 0o666)
  try {
    for await (const chunk of entry.content()) {
      placement.bytes += chunk.length
      if (placement.bytes > maxBytes) throw tooLarge(maxBytes)
      await file.writeFile(chunk)
    }
  } finally {
    await file.close()
  }
}

function register({ placed, limits }: Placement, path: string, kind: 'file' | 'directory'): void {
  if (placed.size >= limits.maxEntries) throw tooManyEntries(limits.maxEntries)
  placed.set(path, kind)
}

const conflict = (path: string) =>
  new UnpackError(
    'conflicting_entries',
    `the archive holds ${printName(path)} both as a file and as a directory. Pack the folder again`,
  )

/** @throws UnpackError `not_one_directory` */
export function theOneDirectory({ placed }: Placement): string {
  const top = [...placed].filter(([path]) => !path.includes('/'))
  const [[name, kind] = ['', 'file']] = top
  if (top.length === 1 && kind === 'directory') return name
  const names = top.slice(0, 5).map(([path]) => printName(path))
  const found = top.length === 0 ? 'nothing' : `${top.length} entries, of them ${names.join(', ')}`
  throw new UnpackError(
    'not_one_directory',
    `Archive must contain exactly 1 directory at its top level, with everything in it; this one has ${found}. Pack ` +
      'the folder itself, not what is in it: tar czf blueprint.tar.gz my-blueprint/',
  )
}
