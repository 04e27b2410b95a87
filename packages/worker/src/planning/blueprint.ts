import { partsText, type SharedText, sharedTexts, TextTooLong, writtenLength } from '@tutti/api'
import { type Diagnostic, DslError, type Plan, packagesOf } from '@tutti/dsl'
import type { FindBlueprint, FindPlugins } from '../blueprints/import-resolver.ts'
import { type FolderToParse, parseFolder } from '../blueprints/parse-folder.ts'
import { smallText } from './small-plan.ts'
import { utf8 } from './utf8.ts'

/** A plan as it is stored, JSON being text already, with the parts of it that are wanted besides. */
export type ParsedBlueprint =
  | {
      readonly ok: true
      readonly plan: StoredPlan
      readonly description: string | null
      readonly requirements: Plan['requirements']
      readonly importedBlueprints: Plan['imported_blueprints']
      readonly pluginPackages: readonly string[]
      readonly labels: Plan['blueprint_labels']
    }
  | { readonly ok: false; readonly diagnostics: readonly [Diagnostic, ...Diagnostic[]] }

/** UTF-8, as the database takes it: nobody on the way looks into it. */
export type StoredPlan = {
  readonly text: Uint8Array<ArrayBuffer>
  /** As `partsText`; null where the text is written out. */
  readonly parts: Uint8Array<ArrayBuffer> | null
}

/** Of the text that is stored: as much as a plan of a gigabyte should come down to. */
const mostCharacters = 200_000_000

export async function parseToText(
  folder: FolderToParse,
  findBlueprint: FindBlueprint,
  findPlugins: FindPlugins,
): Promise<ParsedBlueprint> {
  const outcome = await parseFolder(folder, findBlueprint, findPlugins)
  if (!outcome.ok) return outcome
  const { plan } = outcome
  try {
    return {
      ok: true,
      plan: storedPlan(plan),
      description: plan.description,
      requirements: plan.requirements,
      importedBlueprints: plan.imported_blueprints,
      pluginPackages: packagesOf(plan),
      labels: plan.blueprint_labels,
    }
  } catch (error) {
    if (!(error instanceof TextTooLong)) throw error
    const tooLong = new DslError('DSLParsingFormatException', `The plan has ${error.message}.`, { code: 1 })
    return { ok: false, diagnostics: [tooLong.toDiagnostic()] }
  }
}

export function storedPlan(plan: Pick<Plan, 'nodes'>): StoredPlan {
  const shared = sharedPlan(plan)
  if (writtenLength(shared) < smallText) return { text: utf8(JSON.stringify(plan)), parts: null }
  return { text: utf8(shared.text), parts: utf8(partsText(shared.parts)) }
}

/** Nodes have most in common. Everything else is written out, as the database looks into it. */
export function sharedPlan(plan: Pick<Plan, 'nodes'>): SharedText {
  const { texts, parts } = sharedTexts([plan.nodes], mostCharacters)
  const members = Object.entries(plan).map(([name, value]) => {
    const text = name === 'nodes' ? texts[0] : JSON.stringify(value)
    return `${JSON.stringify(name)}:${text}`
  })
  return { text: `{${members.join(',')}}`, parts }
}
