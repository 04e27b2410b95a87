import { createHash } from 'node:crypto'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Where this machine keeps the environments of plugins; its workers share it. */
export const environmentsFolder = (dataFolder: string): string => join(dataFolder, 'plugin-environments')

/** What the workers know of the environments; closed to operations. */
export const insideOf = (root: string): string => join(root, '.tutti')
export const notesFolder = (root: string): string => join(insideOf(root), 'notes')
export const locksFolder = (root: string): string => join(insideOf(root), 'locks')

/** The interpreter of an environment; its programs are beside it. */
export const pythonOf = (folder: string): string => join(folder, 'bin', 'python')

/** Everybody may pass through it to an environment whose name is known. */
export async function openEnvironmentsFolder(root: string): Promise<void> {
  for (const [folder, mode] of [
    [root, 0o711],
    [insideOf(root), 0o700],
    [notesFolder(root), 0o700],
    [locksFolder(root), 0o700],
  ] as const) {
    await mkdir(folder, { recursive: true })
    await chmod(folder, mode)
  }
}

/** One name for one content: begins with what people look for, which may be any text. */
export function environmentName(label: string, content: readonly unknown[]): string {
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 24)
  return `${label.replaceAll(/[^A-Za-z0-9._-]+/g, '_').slice(0, 60)}-${hash}`
}
