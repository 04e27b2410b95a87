import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { UnpackError, type UnpackLimits, unpackArchive } from '@tutti/storage'
import { readCaravan } from './caravan.ts'
import { type PluginFiles, readFiles } from './read-files.ts'
import { fileSize, filesIn, readUnpackedWagon, readWagon } from './read-wagon.ts'
import { invalidPlugin, type WagonMetadata } from './wagon-metadata.ts'
import { isYaml } from './yaml-order.ts'

/** A plugin as it was sent: its wagon is a file on this machine. */
export type SentPlugin = {
  readonly wagon: string
  readonly metadata: WagonMetadata
  readonly content: PluginFiles
}

export type SentPlugins = { readonly isCaravan: boolean; readonly plugins: readonly SentPlugin[] }

/**
 * What an uploaded file holds: a wagon, a zip with a wagon, YAML files and an icon, or a caravan of wagons with their
 * YAML files (docs/reference/plugins.md, "Upload"). It is unpacked below the folder, where the wagons stay.
 *
 * @throws invalid_plugin_error
 */
export async function readUpload(file: string, folder: string, limits: UnpackLimits): Promise<SentPlugins> {
  const sent = join(folder, 'sent')
  const format = await unpackSent(file, sent, limits)
  const top = await onlyFolder(sent)
  if (top !== undefined) {
    if ((await fileSize(join(top, 'package.json'))) !== undefined) {
      const metadata = await readUnpackedWagon(top)
      const content = await readFiles(sent, [], metadata.package_name)
      return { isCaravan: false, plugins: [{ wagon: file, metadata, content }] }
    }
    const caravan = await readCaravan(top)
    if (caravan !== undefined) {
      const plugins: SentPlugin[] = []
      for (const { wagon, yamls } of caravan) {
        plugins.push(await readPlugin(top, wagon, yamls, { folder, limits }))
      }
      return { isCaravan: true, plugins }
    }
  }
  if (format !== 'zip') throw invalidPlugin('input can be only a wagon or a zip file.', whatIsTaken)
  const names = await filesIn(sent)
  const [wagon, ...others] = names.filter((name) => name.endsWith('.wgn'))
  if (wagon === undefined || others.length > 0) {
    throw invalidPlugin('Archive must include one wgn file', whatIsTaken)
  }
  const plugin = await readPlugin(sent, wagon, names.filter(isYaml), { folder, limits })
  return { isCaravan: false, plugins: [plugin] }
}

const whatIsTaken =
  'Send a wagon, a zip with one wagon (*.wgn) and its YAML files at the top level, or a caravan (a tar with METADATA)'

async function unpackSent(file: string, into: string, limits: UnpackLimits) {
  try {
    return (await unpackArchive(file, into, { ...limits, topLevel: 'anything' })).format
  } catch (error) {
    if (!(error instanceof UnpackError)) throw error
    if (error.code === 'unknown_format') {
      throw invalidPlugin('input can be only a wagon or a zip file.', whatIsTaken)
    }
    throw invalidPlugin(`The plugin cannot be unpacked: ${error.message}`)
  }
}

async function onlyFolder(folder: string): Promise<string | undefined> {
  const [only, ...others] = await readdir(folder, { withFileTypes: true })
  return only?.isDirectory() && others.length === 0 ? join(folder, only.name) : undefined
}

async function readPlugin(
  from: string,
  wagon: string,
  yamls: readonly string[],
  { folder, limits }: { readonly folder: string; readonly limits: UnpackLimits },
): Promise<SentPlugin> {
  const metadata = await readWagon(join(from, wagon), folder, limits)
  return { wagon: join(from, wagon), metadata, content: await readFiles(from, yamls, metadata.package_name) }
}
