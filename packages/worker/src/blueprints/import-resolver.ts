import { readFile } from 'node:fs/promises'
import { join, normalize, sep } from 'node:path'
import { ImportFailure, type ImportResolver, TYPE_FILES, typeFileUrl } from '@tutti/dsl'
import { FetchRefused, type FetchRules, guardedFetch } from '../fetch/guarded-fetch.ts'

/** Old releases' types files by their published addresses; ours of 1_3 stands for them (spec/builtin-types.md 1). */
const publishedTypes =
  /^https?:\/\/(?:www\.getcloudify\.org\/spec|cloudify\.co\/spec)\/cloudify\/[^/]+\/types\.yaml$/

/**
 * Answers the language's questions for imports (spec/dsl.md 5.2): built-in types, files of the unpacked archive,
 * and addresses. `base` is the address under which the archive's folder appears.
 */
export function createImportResolver(archive: {
  readonly base: string
  readonly folder: string
  readonly fetchRules: FetchRules
}): ImportResolver {
  return async (request) => {
    switch (request.kind) {
      case 'resource':
        return TYPE_FILES.includes(request.path)
          ? { address: request.path, text: await readFile(typeFileUrl(request.path), 'utf8') }
          : null
      case 'file':
        return readInside(archive.base, archive.folder, request.address)
      case 'url':
        return publishedTypes.test(request.url)
          ? published(request.url)
          : fetchText(request.url, archive.fetchRules)
      case 'plugin':
        throw new ImportFailure(
          `Plugin ${request.name} is imported, but plugins cannot be uploaded yet, so there is none of that name`,
        )
      case 'blueprint':
        throw new ImportFailure(
          `Blueprint ${request.id} is imported, but importing blueprints is not built yet`,
        )
    }
  }
}

async function published(url: string) {
  return { address: url, text: await readFile(typeFileUrl('cloudify/types/types_1_3.yaml'), 'utf8') }
}

/** A file below the archive's folder; whatever lies outside it does not exist. */
async function readInside(base: string, folder: string, address: string) {
  if (!address.startsWith(base)) return null
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
