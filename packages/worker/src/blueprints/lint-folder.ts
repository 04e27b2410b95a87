import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Diagnostic } from '@tutti/dsl'
import { baseOf } from './import-resolver.ts'
import { type FolderToParse, parseFolder } from './parse-folder.ts'

export type LintRequest = Pick<FolderToParse, 'folder' | 'mainFile'>

/** A mistake or a warning, with the line that it is in where that is a file of the folder. */
export type LintFinding = Diagnostic & {
  readonly severity: 'error' | 'warning'
  readonly sourceLine: string | null
}

/**
 * What is wrong with the blueprint in a folder, without any manager: only what it imports from uploaded blueprints and
 * plugins cannot be looked up here.
 */
export async function lintFolder({ folder, mainFile }: LintRequest): Promise<readonly LintFinding[]> {
  const outcome = await parseFolder(
    {
      folder,
      mainFile,
      name: 'blueprint',
      fetchRules: {
        allowedHosts: [],
        allowPrivateAddresses: true,
        maxBytes: 16 * 1024 * 1024,
        timeoutMs: 10_000,
      },
    },
    async () => undefined,
    async () => [],
  )
  const [severity, diagnostics] = outcome.ok
    ? (['warning', outcome.warnings] as const)
    : (['error', outcome.diagnostics] as const)
  return Promise.all(
    diagnostics.map(async (diagnostic) => {
      const base = baseOf('blueprint')
      const isOurs = diagnostic.file?.startsWith(base) ?? false
      const file = isOurs ? (diagnostic.file?.slice(base.length) ?? null) : diagnostic.file
      return {
        ...diagnostic,
        severity,
        file,
        sourceLine: isOurs && file !== null ? await lineOf(join(folder, file), diagnostic.line) : null,
      }
    }),
  )
}

async function lineOf(path: string, line: number | null): Promise<string | null> {
  if (line === null) return null
  const text = await readFile(path, 'utf8')
  return text.split(/\r?\n/)[line - 1] ?? null
}
