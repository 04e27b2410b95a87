import { createWriteStream } from 'node:fs'
import { chmod, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Database, readArchive, UnpackError, unpackArchive } from '@tutti/storage'
import { removeFolder } from '../operations/index.ts'
import { PluginInstallationError } from './installation-error.ts'
import { giveTree } from './ownership.ts'
import type { StoredPlugin } from './queries.ts'
import { type InstallerProcess, installationLimits, runInstaller } from './run-installer.ts'

/** Of a wagon itself, which holds its wheels as they are. */
const wagonLimits = { maxBytes: installationLimits.bytes, maxEntries: 20_000 }

/** Makes the environment of an uploaded plugin in an empty folder. @throws PluginInstallationError */
export async function installWagon(
  db: Database,
  { sha256, packageName, packageVersion }: StoredPlugin,
  folder: string,
  workFolder: string,
  installer: InstallerProcess,
): Promise<readonly string[]> {
  const { user } = installer
  const staging = await mkdtemp(join(workFolder, 'wagon-'))
  try {
    const wagon = await unpackWagon(db, sha256, staging)
    if (user !== null) {
      await giveTree(staging, user)
      await giveTree(folder, user)
    }
    const request = {
      kind: 'wagon',
      wagon,
      package_name: packageName,
      package_version: packageVersion,
      folder,
    } as const
    const installed = await runInstaller(join(staging, 'request.json'), request, installer)
    if (user !== null) await giveTree(folder, null)
    return installed
  } finally {
    await removeFolder(staging, user)
  }
}

async function unpackWagon(db: Database, sha256: string, staging: string): Promise<string> {
  const archive = await readArchive(db, sha256)
  if (archive === undefined) throw new PluginInstallationError('it was deleted meanwhile')
  const file = join(staging, 'wagon.wgn')
  await pipeline(Readable.from(archive.chunks), createWriteStream(file, { mode: 0o600 }))
  const folder = join(staging, 'unpacked')
  try {
    const { directory } = await unpackArchive(file, folder, { ...wagonLimits, topLevel: 'one directory' })
    await chmod(folder, 0o700)
    return join(folder, directory ?? '')
  } catch (error) {
    if (error instanceof UnpackError) throw new PluginInstallationError(error.message)
    throw error
  }
}
