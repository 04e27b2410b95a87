import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { JsonList, JsonObject } from '@tutti/dsl'
import { maxIconBytes, pngProblem } from '../png.ts'
import { fileSize } from './read-wagon.ts'
import { readYamlFiles } from './read-yaml.ts'
import { invalidPlugin } from './wagon-metadata.ts'
import { inYamlOrder } from './yaml-order.ts'

export type PluginFile = {
  readonly name: string
  readonly content: Buffer
  /** Made here, for blueprints of cloudify_dsl_1_3. */
  readonly is_derived: boolean
}

/** What comes with a wagon, and what blueprints that import the plugin get from it. */
export type PluginFiles = {
  readonly files: readonly PluginFile[]
  readonly labels: Readonly<Record<string, JsonList>>
  readonly blueprint_labels: Readonly<Record<string, JsonList>>
  readonly resource_tags: JsonObject
}

export const iconName = 'icon.png'
const mostYamlFiles = 50
const maxYamlBytes = 8 * 2 ** 20
const maxYamlBytesTogether = 16 * 2 ** 20

/**
 * Reads the YAML files, by their paths in the folder, and the icon, if there is one (docs/reference/plugins.md, "YAML
 * files"). Each of them must declare the wagon's package.
 *
 * @throws invalid_plugin_error
 */
export async function readFiles(
  folder: string,
  yamlPaths: readonly string[],
  packageName: string,
): Promise<PluginFiles> {
  const names = inYamlOrder(yamlPaths)
  if (names.length > mostYamlFiles)
    throw invalidPlugin(`More than ${mostYamlFiles} YAML files came with the wagon`)
  checkNames(names.map((path) => basename(path)))
  const yamls: PluginFile[] = []
  let bytes = 0
  for (const path of names) {
    const size = (await fileSize(join(folder, path))) ?? 0
    bytes += size
    if (size > maxYamlBytes || bytes > maxYamlBytesTogether) {
      throw invalidPlugin(
        `${path} is too large: a YAML file may have ${maxYamlBytes} bytes, all of them ${maxYamlBytesTogether}`,
      )
    }
    yamls.push({ name: basename(path), content: await readFile(join(folder, path)), is_derived: false })
  }
  const read = await readYamlFiles(
    yamls.map(({ name, content }) => ({ name, text: content.toString('utf8') })),
  )
  if (!read.ok) throw invalidPlugin(read.error)
  for (const [index, { packageNames }] of read.files.entries()) {
    if (!packageNames.includes(packageName)) {
      const declared = packageNames.length === 0 ? 'no package' : packageNames.slice(0, 5).join(', ')
      throw invalidPlugin(
        `${yamls[index]?.name} declares ${declared}, but the wagon is ${packageName}: one of its plugins must have the package_name ${packageName}`,
      )
    }
  }
  const [first] = read.files
  return {
    files: [...yamls, ...derivedFile(yamls, first?.derived ?? null), ...(await iconIn(folder))],
    labels: first?.labels ?? {},
    blueprint_labels: first?.blueprint_labels ?? {},
    resource_tags: first?.resource_tags ?? {},
  }
}

/** They are sent in headers and packed again, and are unique in a plugin. @throws invalid_plugin_error */
function checkNames(names: readonly string[]): void {
  for (const [index, name] of names.entries()) {
    if (!/^[A-Za-z0-9_][A-Za-z0-9._+-]{0,199}$/.test(name)) {
      throw invalidPlugin(
        `The name of the YAML file ${JSON.stringify(name.slice(0, 100))} must be of letters, digits and ._+-`,
      )
    }
    if (names.indexOf(name) !== index) throw invalidPlugin(`Two YAML files have the name ${name}`)
  }
}

/** Of the first, where none of them is for blueprints of cloudify_dsl_1_3. */
function derivedFile(yamls: readonly PluginFile[], derived: string | null): readonly PluginFile[] {
  const [first] = yamls
  const isThere = yamls.some(({ name }) => /_1_3\.ya?ml$/.test(name))
  if (first === undefined || derived === null || isThere) return []
  const content = Buffer.from(derived)
  if (content.length > maxYamlBytes) return []
  const name = first.name.replace(/(?:_\d+_\d+)?(\.ya?ml)$/, '_1_3$1')
  return [{ name, content, is_derived: true }]
}

async function iconIn(folder: string): Promise<readonly PluginFile[]> {
  const path = join(folder, iconName)
  const size = await fileSize(path)
  if (size === undefined) return []
  if (size > maxIconBytes) throw invalidPlugin(`${iconName} has more than ${maxIconBytes} bytes`)
  const content = await readFile(path)
  const problem = pngProblem(content)
  if (problem !== undefined) throw invalidPlugin(`${iconName} is no PNG image: ${problem}`)
  return [{ name: iconName, content, is_derived: false }]
}
