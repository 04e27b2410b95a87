import { type Diagnostic, DslError, formatError } from './diagnostic.ts'
import { callsOf } from './functions/calls.ts'
import { checkFunctions } from './functions/check.ts'
import { loadBlueprint, recordImports } from './imports/load.ts'
import { mergeFiles } from './imports/merge.ts'
import type { ImportResolver } from './imports/resolver.ts'
import type { Json } from './json.ts'
import { type Build, newProblems, type Problems } from './language/build.ts'
import { checkShape } from './language/check.ts'
import { SECTIONS } from './language/document.ts'
import { record } from './language/shape.ts'
import { buildPlan } from './plan/build.ts'
import type { Plan } from './plan/plan.ts'
import { requirementsOf } from './plan/requirements.ts'
import { sizeOf } from './size.ts'
import { checkInputDefaults } from './types/input-defaults.ts'
import { newConversion, nodePlace } from './yaml/node.ts'

export type ParseRequest = {
  /** Address of the main file, e.g. `file:/bp/blueprint.yaml`. */
  readonly mainFile: string
  readonly text: string
  /** Paths that exist, relative to the main file's folder. */
  readonly files: ReadonlySet<string>
  readonly resolve: ImportResolver
  readonly options?: ParseOptions
  /**
   * For schedules that give only a time of day (docs/reference/language/workflows-and-settings.md, "Default
   * schedules").
   */
  readonly now: Date
}

/** All true by default. */
export type ParseOptions = {
  readonly validateVersion?: boolean
  readonly validateIntrinsicFunctions?: boolean
  readonly validateInputDefaults?: boolean
}

export type ParseOutcome =
  | { readonly ok: true; readonly plan: Plan; readonly warnings: readonly Diagnostic[] }
  | { readonly ok: false; readonly diagnostics: readonly [Diagnostic, ...Diagnostic[]] }

/**
 * About 1 GB of JSON: nodes are stored with what they share standing once, but each is shown with all of it. 20,000
 * nodes of built-in types with three relationships each have 37 million.
 */
const MOST_NODE_VALUES = 100_000_000
/** About 200 MB: everything beside the nodes is stored written out. */
const MOST_OTHER_VALUES = 20_000_000

const DOCUMENT = record(SECTIONS)

/**
 * A blueprint's text and its imports to a plan (docs/reference/language/README.md, "From text to plan";
 * docs/reference/plan.md, "The plan"). Reports all independent mistakes.
 */
export async function parseBlueprint(request: ParseRequest): Promise<ParseOutcome> {
  const problems = newProblems()
  const plan = await planOf(request, problems)
  const [first, ...others] = withoutRepetitions(problems.errors.map((error) => error.toDiagnostic()))
  if (first !== undefined) return { ok: false, diagnostics: [first, ...others] }
  if (plan === null) throw new Error('a blueprint without a mistake has a plan')
  return { ok: true, plan, warnings: problems.warnings.map((warning) => warning.toDiagnostic()) }
}

/** A type's mistake that shows in every template of the type is one mistake. */
function withoutRepetitions(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const seen = new Set<string>()
  return diagnostics.filter(({ file, line, column, path, code, message }) => {
    const key = file === null ? `${path} ${message}` : `${file}:${line}:${column} ${path} ${code}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

async function planOf(request: ParseRequest, problems: Problems): Promise<Plan | null> {
  const {
    validateVersion = true,
    validateIntrinsicFunctions = true,
    validateInputDefaults = true,
  } = request.options ?? {}
  const report = (error: DslError): void => {
    problems.errors.push(error)
  }
  try {
    const loaded = await loadBlueprint({ ...request, validateVersion }, report)
    // What an import that failed would have defined is missing everywhere else.
    if (problems.errors.length > 0) return null
    const mainVersion = loaded.version.definitions_version
    const gates = validateVersion ? mainVersion : null
    const merged = mergeFiles(loaded.files, mainVersion, report)
    const document = recordImports(merged, loaded)
    const tooNew: DslError[] = []
    checkShape(document, DOCUMENT, {
      version: gates,
      report: (error, [section = '', name = '']) => {
        problems.errors.push(error)
        problems.broken.add(`${section}.${name}`)
      },
      reportTooNew: (error) => tooNew.push(error),
    })
    const { files, now } = request
    const build: Build = {
      document,
      mainVersion,
      gates,
      files,
      now,
      conversion: newConversion(),
      problems,
      memo: new Map(),
    }
    const bare = buildPlan(build, loaded.version)
    problems.errors.push(...tooNew)
    const calls = callsOf(bare)
    const plan = { ...bare, requirements: requirementsOf(calls) }
    if (problems.errors.length > 0) return null
    if (validateInputDefaults) checkInputDefaults(plan, build.conversion.origins, report)
    if (validateIntrinsicFunctions) {
      checkFunctions(plan, calls, { gates, origins: build.conversion.origins, report })
    }
    warnOfRepeatedTargets(plan, build)
    checkSize(plan, report)
    return plan
  } catch (error) {
    if (!(error instanceof DslError)) throw error
    problems.errors.push(error)
    return null
  }
}

/** What is shared within a blueprint is written out in its plan, which can make it exponentially larger. */
function checkSize(plan: Plan, report: (error: DslError) => void): void {
  const { nodes, ...others } = plan
  const sizes = new Map<object, number>()
  for (const [values, most] of [
    [nodes, MOST_NODE_VALUES],
    [others, MOST_OTHER_VALUES],
  ] as const) {
    if (sizeOf(values as unknown as Json, sizes) <= most) continue
    report(formatError(1, `The plan has more than ${most} values when its aliases are written out.`))
    return
  }
}

/** Only one of two relationships to the same target survives (docs/reference/plan.md, "Node instances"). */
function warnOfRepeatedTargets(plan: Plan, build: Build): void {
  for (const node of plan.nodes) {
    const targets = new Set<string>()
    for (const { target_id: target } of node.relationships) {
      if (targets.has(target)) {
        const origin = build.conversion.origins.get(node.properties)
        build.problems.warnings.push(
          new DslError(
            'DSLParsingException',
            `The node '${node.name}' has two relationships to '${target}': only the last takes effect.`,
            {
              place: origin === undefined ? null : nodePlace(origin),
              path: `node_templates.${node.name}.relationships`,
            },
          ),
        )
      }
      targets.add(target)
    }
  }
}
