import type { Diagnostic } from './diagnostic.ts'
import type { ImportResolver } from './imports/resolver.ts'
import type { Plan } from './plan/plan.ts'

export interface ParseRequest {
  /** Address of the main file, e.g. `file:/bp/blueprint.yaml`. */
  readonly mainFile: string
  readonly text: string
  /** Paths that exist, relative to the main file's folder. */
  readonly files: ReadonlySet<string>
  readonly resolve: ImportResolver
  readonly options?: ParseOptions
  /** For schedules that give only a time of day (dsl.md 14.5). */
  readonly now: Date
}

/** All true by default. */
export interface ParseOptions {
  readonly validateVersion?: boolean
  readonly validateIntrinsicFunctions?: boolean
  readonly validateInputDefaults?: boolean
}

export type ParseOutcome =
  | { readonly ok: true; readonly plan: Plan; readonly warnings: readonly Diagnostic[] }
  | { readonly ok: false; readonly diagnostics: readonly [Diagnostic, ...Diagnostic[]] }

/** A blueprint's text and its imports to a plan (dsl.md 1, plan.md 1). */
export async function parseBlueprint(_request: ParseRequest): Promise<ParseOutcome> {
  throw new Error('parseBlueprint is not built yet')
}
