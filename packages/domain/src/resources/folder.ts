import { readdir, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

export type Found =
  | { readonly type: 'file'; readonly path: string; readonly size: number }
  | { readonly type: 'directory'; readonly path: string }

/** What is at the segments below the folder; undefined when it is not there, or a link leads out of the folder. */
export async function findIn(folder: string, segments: readonly string[]): Promise<Found | undefined> {
  const root = await unlessAbsent(realpath(folder))
  const path = root && (await unlessAbsent(realpath(join(root, ...segments))))
  if (root === undefined || path === undefined) return undefined
  if (path !== root && !path.startsWith(root + sep)) return undefined
  const found = await stat(path)
  if (found.isDirectory()) return { type: 'directory', path }
  return found.isFile() ? { type: 'file', path, size: found.size } : undefined
}

/** Paths of all files below a folder, relative to it, with `/` between their parts. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
}

const absent: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'])

async function unlessAbsent<T>(look: Promise<T>): Promise<T | undefined> {
  try {
    return await look
  } catch (error) {
    if (absent.has((error as NodeJS.ErrnoException).code)) return undefined
    throw error
  }
}
