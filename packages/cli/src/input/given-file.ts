import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { UsageError } from '../errors/usage-error.ts'

/** A file that the command line names. @throws UsageError */
export const readTextFile = async (workingFolder: string, path: string): Promise<string> =>
  (await readBytes(workingFolder, path)).toString('utf8')

/** @throws UsageError */
export async function readBytes(workingFolder: string, path: string): Promise<Buffer<ArrayBuffer>> {
  const file = resolve(workingFolder, path)
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read: ${reasons[error.code ?? ''] ?? error.message}`)
  })
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'you may not read it',
  EISDIR: 'it is a folder',
}
