import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Option } from 'commander'
import { type Options, repeated } from '../commands/command.ts'
import { UsageError } from '../errors/usage-error.ts'

export const pluginFileOptions = (): readonly Option[] => [
  repeated('-y, --yaml-path <file>', 'YAML file of the plugin, to send with a wagon; may be repeated'),
  new Option('-i, --icon-path <file>', 'icon that consoles show, a PNG image'),
]

/**
 * Calls `use` with the file to send: the wagon, zip or caravan as it is or, where YAML files or an icon are named, a zip of
 * them with the wagon, which is gone afterwards.
 *
 * @throws UsageError
 */
export async function withPluginFile<T>(
  workingFolder: string,
  path: string,
  options: Options,
  use: (file: string) => Promise<T>,
): Promise<T> {
  const wagon = await fileAt(workingFolder, path)
  const icon = options.text('iconPath')
  const more = [
    ...options.texts('yamlPath').map((yaml) => ({ path: yaml, name: basename(yaml) })),
    ...(icon === undefined ? [] : [{ path: icon, name: 'icon.png' }]),
  ]
  if (more.length === 0) return use(wagon.path)
  const folder = await mkdtemp(join(tmpdir(), 'tutti-plugin-'))
  try {
    // Loaded here: the other commands need no database.
    const { zipped } = await import('@tutti/storage')
    const entries = [{ ...wagon, name: wagonName(path) }]
    for (const { path: one, name } of more) entries.push({ ...(await fileAt(workingFolder, one)), name })
    const file = join(folder, 'plugin.zip')
    const bytes = zipped(entries.map((entry) => ({ ...entry, content: () => createReadStream(entry.path) })))
    await pipeline(Readable.from(bytes), createWriteStream(file, { mode: 0o600 }))
    return await use(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** By this ending the manager knows which of the files is the wagon. */
const wagonName = (path: string): string => `${basename(path).replace(/\.wgn$/, '')}.wgn`

async function fileAt(workingFolder: string, path: string) {
  const full = resolve(workingFolder, path)
  const found = await stat(full).catch(() => undefined)
  if (found?.isFile()) return { path: full, size: found.size }
  throw new UsageError(`There is no file ${full}`, 'Give the path of a wagon, a zip or a caravan')
}
