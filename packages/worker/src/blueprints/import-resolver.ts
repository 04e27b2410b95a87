import { readFile } from 'node:fs/promises'
import { join, normalize, sep } from 'node:path'
import { ImportFailure, type ImportResolver, TYPE_FILES, typeFileUrl } from '@tutti/dsl'
import { FetchRefused, type FetchRules, guardedFetch } from '../fetch/guarded-fetch.ts'

/** Old releases' types files by their published addresses; ours of 1_3 stands for them (spec/builtin-types.md 1). */
const publishedTypes =
  /^https?:\/\/(?:www\.getcloudify\.org\/spec|cloudify\.co\/spec)\/cloudify\/[^/]+\/types\.yaml$/

/** An unpacked blueprint: its folder and the path of its main file in it. */
export type UnpackedBlueprint = { readonly folder: string; readonly mainFile: string }

/** Looks up another uploaded blueprint; undefined when there is none of that id that may be seen. */
export type FindBlueprint = (id: string) => Promise<UnpackedBlueprint | undefined>

/**
 * Answers the language's questions for imports (spec/dsl.md 5.2): built-in types, files of the unpacked archive,
 * addresses, and other blueprints. The files of each blueprint appear below `file:/ITS-NAME/`.
 */
export function createImportResolver(main: {
  readonly name: string
  readonly folder: string
  readonly fetchRules: FetchRules
  readonly findBlueprint: FindBlueprint
}): ImportResolver {
  const folders = new Map([[baseOf(main.name), main.folder]])

  return async (request) => {
    switch (request.kind) {
      case 'resource':
        return TYPE_FILES.includes(request.path)
          ? { address: request.path, text: await readFile(typeFileUrl(request.path), 'utf8') }
          : null
      case 'file':
        for (const [base, folder] of folders) {
          if (request.address.startsWith(base)) return readInside(base, folder, request.address)
        }
        return null
      case 'url':
        return publishedTypes.test(request.url)
          ? published(request.url)
          : fetchText(request.url, main.fetchRules)
      case 'plugin':
        throw new ImportFailure(
          `Plugin ${request.name} is imported, but plugins cannot be uploaded yet, so there is none of that name`,
        )
      case 'blueprint': {
        const found = await main.findBlueprint(request.id)
        if (found === undefined) {
          throw new ImportFailure(
            `Requested blueprint import \`${request.id}\` was not found, first use \`tutti blueprints upload\``,
          )
        }
        const base = baseOf(`blueprint-${request.id}`)
        folders.set(base, found.folder)
        return readInside(base, found.folder, base + found.mainFile)
      }
    }
  }
}

export function baseOf(name: string): string {
  return `file:/${name}/`
}

async function published(url: string) {
  return { address: url, text: await readFile(typeFileUrl('cloudify/types/types_1_3.yaml'), 'utf8') }
}

/** A file below the blueprint's folder; whatever lies outside it does not exist. */
async function readInside(base: string, folder: string, address: string) {
  const path = normalize(join(folder, address.slice(base.length)))
  if (!path.startsWith(folder + sep)) return null
  try {
    return { address: base + path.slice(folder.length + 1), text: await readFile(path, 'utf8') }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return null
    throw new ImportFailure(`${address} cannot be read (${code ?? 'unknown error'})`)
  }
}

async function fetchText(url: string, rules: FetchRules) {
  try {
    const chunks: Buffer[] = []
    for await (const chunk of await guardedFetch(url, rules)) chunks.push(chunk)
    return { address: url, text: Buffer.concat(chunks).toString('utf8') }
  } catch (error) {
    if (error instanceof FetchRefused) throw new ImportFailure(error.message)
    throw error
  }
}
