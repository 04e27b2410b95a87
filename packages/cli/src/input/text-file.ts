import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { UsageError } from '../errors/usage-error.ts'

/** A file that the command line names. @throws UsageError */
export async function readTextFile(workingFolder: string, path: string): Promise<string> {
  const file = resolve(workingFolder, path)
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read: ${reasons[error.code ?? ''] ?? error.message}`)
  })
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'you may not read it',
  EISDIR: 'it is a folder',
}
