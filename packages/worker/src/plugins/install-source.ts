import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { handOver, removeFolder } from '../operations/index.ts'
import { giveTree } from './ownership.ts'
import { type InstallerProcess, runInstaller } from './run-installer.ts'

export type SourcePlugin = {
  /** An absolute path of a folder, or an address. */
  readonly source: string
  readonly installArguments: string | null
}

/**
 * Makes the environment of a plugin that a blueprint brings along, by pip, which runs its code: as the tenant's user, whose
 * the environment is. @throws PluginInstallationError
 */
export async function installSource(
  { source, installArguments }: SourcePlugin,
  folder: string,
  workFolder: string,
  installer: InstallerProcess,
): Promise<readonly string[]> {
  const { user } = installer
  const staging = await mkdtemp(join(workFolder, 'source-'))
  try {
    await handOver(staging, user)
    if (user !== null) await giveTree(folder, user)
    return await runInstaller(
      join(staging, 'request.json'),
      { kind: 'source', source, install_arguments: installArguments, folder, work_folder: staging },
      installer,
    )
  } finally {
    await removeFolder(staging, user)
  }
}
