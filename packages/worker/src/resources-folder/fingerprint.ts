import { createHash } from 'node:crypto'
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'

/** What a folder cannot be kept for. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge'
}

export type Limits = { readonly maxBytes: number; readonly maxEntries: number }

/**
 * What the files of a folder look like from outside: changes whenever one of them is written, made, moved or removed.
 * "" for an empty folder. Links are not followed.
 *
 * @throws TooLarge
 */
export async function fingerprintOf(folder: string, { maxBytes, maxEntries }: Limits): Promise<string> {
  const hash = createHash('sha256')
  let [bytes, entries] = [0, 0]
  const open = ['']
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const names = await namesIn(join(folder, at), maxEntries)
    for (const name of names.sort()) {
      const path = join(at, name)
      const found = await lstat(join(folder, path), { bigint: true }).catch(unlessGone(undefined))
      if (found === undefined) continue
      entries += 1
      if (found.isFile()) bytes += Number(found.size)
      if (entries > maxEntries) throw new TooLarge(`it holds more than ${maxEntries} files and folders`)
      if (bytes > maxBytes) throw new TooLarge(`its files have more than ${maxBytes} bytes`)
      const isFolder = found.isDirectory()
      hash.update(
        JSON.stringify([
          path,
          String(found.mode),
          isFolder ? '' : String(found.size),
          String(found.mtimeNs),
          String(found.ino),
        ]),
      )
      if (isFolder) open.push(path)
    }
  }
  return entries === 0 ? '' : hash.digest('hex')
}

/** Not all of them at once: a script can make millions. @throws TooLarge */
async function namesIn(path: string, most: number): Promise<string[]> {
  const folder = await opendir(path).catch(unlessGone(undefined))
  const names: string[] = []
  for await (const { name } of folder ?? []) {
    if (names.push(name) > most) throw new TooLarge(`it holds more than ${most} files and folders`)
  }
  return names
}

/** What goes while one looks is a change that the next look sees. */
const unlessGone =
  <Value>(instead: Value) =>
  (error: NodeJS.ErrnoException): Value => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return instead
    throw error
  }
