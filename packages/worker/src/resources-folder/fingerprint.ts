import { createHash } from 'node:crypto'
import { lstat, opendir } from 'node:fs/promises'

/** What a folder cannot be kept for. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge'
}

export type Limits = { readonly maxBytes: number; readonly maxEntries: number }

/**
 * What the files of a folder look like from outside: changes whenever one of them is written, made, moved or removed.
 * "" for an empty folder. Links are not followed. Names are bytes, which need not be text.
 *
 * @throws TooLarge
 */
export async function fingerprintOf(folder: string, { maxBytes, maxEntries }: Limits): Promise<string> {
  const hash = createHash('sha256')
  let [bytes, entries] = [0, 0]
  const open = ['']
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const names = await namesIn(pathOf(folder, at), maxEntries)
    for (const name of names.sort()) {
      const path = at === '' ? name : `${at}/${name}`
      const found = await lstat(pathOf(folder, path), { bigint: true }).catch(unlessGone)
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

/** `path` has a character for each byte, as a name may be no UTF-8. */
const pathOf = (folder: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')])

/** Not all of them at once: a script can make millions. @throws TooLarge */
async function namesIn(path: Buffer, most: number): Promise<string[]> {
  const folder = await opendir(path, { encoding: 'latin1' }).catch(unlessGone)
  const names: string[] = []
  for await (const { name } of folder ?? []) {
    if (names.push(name) > most) throw new TooLarge(`it holds more than ${most} files and folders`)
  }
  return names
}

/** What goes while one looks is a change that the next look sees. Of a folder that is closed, only itself is seen. */
function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'EACCES') return undefined
  if (error.code === 'ENAMETOOLONG') throw new TooLarge('its folders are nested too deep')
  throw error
}
