import { readFile, realpath } from 'node:fs/promises'
import { join, normalize, sep } from 'node:path'
import {
  choosePluginFile,
  ImportFailure,
  type ImportRequest,
  type ImportResolver,
  newestMatching,
  type PrefixRule,
  prefixRuleCandidates,
  type ResolvedImport,
  TYPE_FILES,
  typeFileUrl,
  typesFileOfUrl,
} from '@tutti/dsl'
import { FetchRefused, type FetchRules, guardedFetch } from '@tutti/storage'

/** An unpacked blueprint: its folder and the path of its main file in it. */
export type UnpackedBlueprint = { readonly folder: string; readonly mainFile: string }

/** Looks up another uploaded blueprint; undefined when there is none of that id that may be seen. */
export type FindBlueprint = (id: string) => Promise<UnpackedBlueprint | undefined>

/** One uploaded plugin, as far as an import sees it. */
export type InstalledPlugin = {
  readonly version: string
  readonly distribution: string | null
  /** Names of its YAML files. */
  readonly files: readonly string[]
  /** Of the one that was made of them for blueprints of cloudify_dsl_1_3. */
  readonly derived: string | null
  read(file: string): Promise<string>
  readonly stored: ResolvedImport['stored']
}

/** The visible plugins of a package name; of two of one version the first is meant. */
export type FindPlugins = (packageName: string) => Promise<readonly InstalledPlugin[]>

/**
 * Answers the language's questions for imports (docs/reference/language/imports.md, "Locations"): built-in types, files
 * of the unpacked archive, addresses, and other blueprints. The files of each blueprint appear below `file:/ITS-NAME/`.
 */
export function createImportResolver(main: {
  readonly name: string
  readonly folder: string
  readonly fetchRules: FetchRules
  readonly findBlueprint: FindBlueprint
  readonly findPlugins: FindPlugins
  readonly importRules?: ImportRules
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
        return readRemote(request.url, main.fetchRules, main.importRules ?? noRules)
      case 'plugin':
        return readPlugin(request, await main.findPlugins(request.name))
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

type PluginRequest = Extract<ImportRequest, { kind: 'plugin' }>

/**
 * The highest version that fits, and of its files the one for the blueprint's version
 * (docs/reference/language/imports.md, "Plugin imports").
 */
async function readPlugin(
  request: PluginRequest,
  plugins: readonly InstalledPlugin[],
): Promise<ResolvedImport> {
  const fitting = plugins.filter(
    ({ distribution }) => request.distribution === null || distribution === request.distribution,
  )
  const version = newestMatching(
    fitting.map((plugin) => plugin.version),
    request.versions,
  )
  const plugin = fitting.find((candidate) => candidate.version === version)
  if (plugin === undefined) {
    const versions = request.versions.length === 0 ? 'any version' : `version ${request.versions.join(', ')}`
    const distribution = request.distribution === null ? '' : ` for ${request.distribution}`
    throw new ImportFailure(
      `Plugin ${request.name} (${versions})${distribution} is imported by ${request.location}, but no such plugin is uploaded`,
    )
  }
  const file = choosePluginFile(plugin.files, request.mainVersion, plugin.derived)
  if (file === null) {
    throw new ImportFailure(
      `Plugin ${request.name} ${version} is imported by ${request.location}, but has no YAML file for blueprints of cloudify_dsl_${request.mainVersion.join('_')}`,
    )
  }
  const { stored } = plugin
  return {
    address: `plugin:${request.name}/${version}/${file}`,
    text: await plugin.read(file),
    ...(stored && { stored }),
  }
}

/** A file below the blueprint's folder; whatever lies outside it does not exist. */
async function readInside(base: string, folder: string, address: string) {
  const path = normalize(join(folder, address.slice(base.length)))
  if (!path.startsWith(folder + sep)) return null
  try {
    // Archives are unpacked without links; a folder that is only checked may hold some.
    if (!(await realpath(path)).startsWith((await realpath(folder)) + sep)) return null
    return { address: base + path.slice(folder.length + 1), text: await readFile(path, 'utf8') }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return null
    throw new ImportFailure(`${address} cannot be read (${code ?? 'unknown error'})`)
  }
}

/** Where else to look for what is imported from addresses, as the manager's provider context says. */
export type ImportRules = {
  readonly rules: readonly PrefixRule[]
  /** Whether to look at the address itself at last. */
  readonly fallback: boolean
}

const noRules: ImportRules = { rules: [], fallback: true }

/**
 * The first of the places that has it. Whatever they say, a rule leads to no file of this machine but the types that come
 * with Tutti, which is what it is there for; addresses are asked as they always are.
 *
 * @throws ImportFailure of the last place
 */
async function readRemote(url: string, fetchRules: FetchRules, { rules, fallback }: ImportRules) {
  const types = typesFileOfUrl(url)
  let failure = new ImportFailure(`${url} was not found`)
  for (const candidate of prefixRuleCandidates(url, rules, fallback)) {
    const isHere = /^(file:|\/)/i.test(candidate)
    if (isHere || typesFileOfUrl(candidate) !== null) {
      const known = types ?? typesFileOfUrl(candidate)
      if (known !== null) return { address: url, text: await readFile(typeFileUrl(known), 'utf8') }
      failure = new ImportFailure(`${url} is not at ${candidate}: only types files of releases are kept here`)
      continue
    }
    try {
      return { ...(await fetchText(candidate, fetchRules)), address: url }
    } catch (error) {
      if (!(error instanceof ImportFailure)) throw error
      failure = error
    }
  }
  throw failure
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
