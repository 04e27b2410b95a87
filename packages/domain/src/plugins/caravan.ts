import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { fileSize } from './read-wagon.ts'
import { invalidPlugin } from './wagon-metadata.ts'

/** A wagon of a caravan and the YAML files that go with it, as paths in its folder. */
export type CaravanEntry = { readonly wagon: string; readonly yamls: readonly string[] }

const maxMetadataBytes = 64 * 1024
const mostWagons = 100

/**
 * What the METADATA of a caravan says: which wagon goes with which YAML file. Undefined where there is none.
 *
 * @throws invalid_plugin_error
 */
export async function readCaravan(folder: string): Promise<readonly CaravanEntry[] | undefined> {
  const path = join(folder, 'METADATA')
  const size = await fileSize(path)
  if (size === undefined) return undefined
  if (size > maxMetadataBytes) {
    throw invalidPlugin(
      `METADATA of the caravan has ${size} bytes: no more than ${maxMetadataBytes} are read`,
    )
  }
  const entries = parse(await readFile(path, 'utf8'))
  if (entries.length === 0 || entries.length > mostWagons) {
    throw invalidPlugin(`The caravan names ${entries.length} wagons: it may have 1 to ${mostWagons}`)
  }
  for (const { wagon, yamls } of entries) {
    for (const one of [wagon, ...yamls]) await checkPath(folder, one)
  }
  return entries
}

function parse(text: string): readonly CaravanEntry[] {
  let value: unknown
  try {
    // JSON, which is YAML, or YAML, which the tools that made caravans wrote at times.
    value = load(text)
  } catch (error) {
    throw invalidPlugin(
      `METADATA of the caravan cannot be read: ${error instanceof Error ? error.message : error}`,
    )
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidPlugin('METADATA of the caravan must be an object: wagon → YAML file')
  }
  return Object.entries(value).map(([wagon, yaml]) => {
    const yamls: readonly unknown[] = Array.isArray(yaml) ? yaml : [yaml]
    if (!yamls.every((one) => typeof one === 'string')) {
      throw invalidPlugin(`METADATA of the caravan names no YAML file for ${wagon}`)
    }
    return { wagon, yamls }
  })
}

/** What was unpacked holds no links, so a path without `..` stays in the folder. */
async function checkPath(folder: string, path: string): Promise<void> {
  const isInside = !path.startsWith('/') && !path.includes('\0') && !path.split('/').includes('..')
  if (isInside && (await fileSize(join(folder, path))) !== undefined) return
  throw invalidPlugin(`METADATA of the caravan names ${JSON.stringify(path)}, which is not in it`)
}
