import type { Diagnostic, Plan } from '@tutti/dsl'
import type { FindBlueprint } from '../blueprints/import-resolver.ts'
import { type FolderToParse, parseFolder } from '../blueprints/parse-folder.ts'

/** A plan as it is stored, JSON being text already, with the parts of it that are wanted besides. */
export type ParsedBlueprint =
  | {
      readonly ok: true
      readonly planText: string
      readonly description: string | null
      readonly requirements: Plan['requirements']
      readonly importedBlueprints: Plan['imported_blueprints']
      readonly labels: Plan['blueprint_labels']
    }
  | { readonly ok: false; readonly diagnostics: readonly [Diagnostic, ...Diagnostic[]] }

export async function parseToText(
  folder: FolderToParse,
  findBlueprint: FindBlueprint,
): Promise<ParsedBlueprint> {
  const outcome = await parseFolder(folder, findBlueprint)
  if (!outcome.ok) return outcome
  const { plan } = outcome
  return {
    ok: true,
    planText: JSON.stringify(plan),
    description: plan.description,
    requirements: plan.requirements,
    importedBlueprints: plan.imported_blueprints,
    labels: plan.blueprint_labels,
  }
}
