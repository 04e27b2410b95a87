import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  type Diagnostic,
  type ImportResolver,
  type ParseOptions,
  type ParseOutcome,
  type Plan,
  parseBlueprint,
  TYPE_FILES,
  typeFileUrl,
} from '../src/index.ts'

const types = new Map(
  TYPE_FILES.map((path) => [path, readFileSync(fileURLToPath(typeFileUrl(path)), 'utf8')]),
)

export type Surroundings = {
  /** Path relative to the blueprint (or `plugin:…`, `blueprint:…`, a URL) → text. */
  readonly imports?: { readonly [location: string]: string }
  readonly files?: readonly string[]
  readonly options?: ParseOptions
  readonly now?: Date
}

/** A resolver over texts in memory and the built-in types. */
export function resolverOf(imports: { readonly [location: string]: string }): ImportResolver {
  return async (request) => {
    const location =
      request.kind === 'file'
        ? request.address.replace(/^file:\/bp\//, '')
        : request.kind === 'resource'
          ? request.path
          : request.kind === 'url'
            ? request.url
            : request.kind === 'plugin'
              ? `plugin:${request.name}`
              : `blueprint:${request.id}`
    if (request.kind === 'resource') {
      const text = types.get(location)
      return text === undefined ? null : { address: `resource:${location}`, text }
    }
    const text = Object.hasOwn(imports, location) ? imports[location] : undefined
    if (text === undefined) return null
    return { address: request.kind === 'file' ? request.address : location, text }
  }
}

export function parse(text: string, around: Surroundings = {}): Promise<ParseOutcome> {
  return parseBlueprint({
    mainFile: 'file:/bp/blueprint.yaml',
    text,
    files: new Set(around.files ?? []),
    resolve: resolverOf(around.imports ?? {}),
    ...(around.options === undefined ? {} : { options: around.options }),
    now: around.now ?? new Date('2026-11-21T12:00:00Z'),
  })
}

export async function planOf(text: string, around: Surroundings = {}): Promise<Plan> {
  const outcome = await parse(text, around)
  if (outcome.ok) return outcome.plan
  throw new Error(
    outcome.diagnostics.map(({ message, path, line }) => `${message} (${path}, line ${line})`).join('\n'),
  )
}

export async function mistakesOf(text: string, around: Surroundings = {}): Promise<readonly Diagnostic[]> {
  const outcome = await parse(text, around)
  return outcome.ok ? [] : outcome.diagnostics
}
