import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, posix, relative, sep } from 'node:path'
import { type ParseOutcome, parseBlueprint } from '@tutti/dsl'
import type { FetchRules } from '@tutti/storage'
import {
  baseOf,
  createImportResolver,
  type FindBlueprint,
  type FindPlugins,
  type ImportRules,
} from './import-resolver.ts'

export type FolderToParse = {
  /** The unpacked archive's single top folder. */
  readonly folder: string
  /** Path of the main file in it, with `/`. */
  readonly mainFile: string
  /** How the folder is called in messages. */
  readonly name: string
  readonly fetchRules: FetchRules
  readonly importRules?: ImportRules
}

/** Parses a blueprint that lies in a folder. */
export async function parseFolder(
  { folder, mainFile, name, fetchRules, importRules }: FolderToParse,
  findBlueprint: FindBlueprint,
  findPlugins: FindPlugins,
): Promise<ParseOutcome> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = all
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
  const main = dirname(mainFile)
  const fromMain = main === '.' ? [] : paths.map((path) => posix.relative(main, path))
  return parseBlueprint({
    mainFile: baseOf(name) + mainFile,
    text: await readFile(join(folder, mainFile), 'utf8'),
    files: new Set([...paths, ...fromMain.filter((path) => !path.startsWith('..'))]),
    resolve: createImportResolver({
      name,
      folder,
      fetchRules,
      findBlueprint,
      findPlugins,
      ...(importRules !== undefined && { importRules }),
    }),
    now: new Date(),
  })
}
