import { seenBy } from '@tutti/domain/dependencies'
import type { DeploymentPlan } from '@tutti/dsl'
import { type Database, type Schema, type Transaction, toJson } from '@tutti/storage'
import { sql, type UpdateObject } from 'kysely'
import type { ParsedBlueprint } from '../planning/blueprint.ts'
import type { Environment } from '../planning/environment.ts'

/** An uploaded blueprint that the user may import: of the tenant or global, and not somebody else's private one. */
export async function findImportable(db: Database, tenantId: number, username: string, id: string) {
  const row = await db
    .selectFrom('blueprints')
    .select(['archive_sha256', 'main_file_name'])
    .where('id', '=', id)
    .where('state', '=', 'uploaded')
    .where((eb) => eb.or([eb('tenant_id', '=', tenantId), eb('visibility', '=', 'global')]))
    .where((eb) => eb.or([eb('visibility', '<>', 'private'), eb('created_by', '=', username)]))
    .orderBy(sql`tenant_id = ${tenantId}`, 'desc')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined || row.archive_sha256 === null || row.main_file_name === null) return undefined
  return { sha256: row.archive_sha256, mainFile: row.main_file_name }
}

/**
 * The blueprint as one upload made it. When it was deleted meanwhile, or even uploaded again, the upload that made the
 * old one must change nothing any more.
 */
export type Upload = { readonly tenantId: number; readonly id: string; readonly executionId: string }

export async function readUploaded(db: Database, upload: Upload) {
  return db
    .selectFrom('blueprints')
    .select(['state', 'archive_sha256'])
    .where('tenant_id', '=', upload.tenantId)
    .where('id', '=', upload.id)
    .where('upload_execution_id', '=', upload.executionId)
    .executeTakeFirst()
}

type BlueprintChange = UpdateObject<Schema, 'blueprints'>

/** False when the blueprint is gone. */
async function updateUploaded(db: Database, upload: Upload, change: BlueprintChange): Promise<boolean> {
  const row = await db
    .updateTable('blueprints')
    .set(change)
    .where('tenant_id', '=', upload.tenantId)
    .where('id', '=', upload.id)
    .where('upload_execution_id', '=', upload.executionId)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export const setBlueprintState = (db: Database, upload: Upload, state: string): Promise<boolean> =>
  updateUploaded(db, upload, { state })

export const setBlueprintArchive = (
  db: Database,
  upload: Upload,
  archive: { readonly sha256: string; readonly extension: string },
): Promise<boolean> =>
  updateUploaded(db, upload, { archive_sha256: archive.sha256, archive_extension: archive.extension })

export const failBlueprint = (
  db: Database,
  upload: Upload,
  { state, error }: { readonly state: string; readonly error: string },
): Promise<boolean> => updateUploaded(db, upload, { state, error, updated_at: sql`clock_timestamp()` })

export const storePlan = (
  db: Database,
  upload: Upload,
  {
    parsed,
    mainFile,
  }: { readonly parsed: ParsedBlueprint & { readonly ok: true }; readonly mainFile: string },
): Promise<boolean> =>
  updateUploaded(db, upload, {
    plan: parsed.plan.text,
    plan_parts: parsed.plan.parts,
    requirements: toJson(parsed.requirements),
    imported_blueprints: [...new Set(parsed.importedBlueprints)],
    plugin_packages: [...parsed.pluginPackages],
    main_file_name: mainFile,
    description: parsed.description,
    state: 'uploaded',
    error: null,
    updated_at: sql`clock_timestamp()`,
  })

export async function deleteUploaded(db: Database, upload: Upload): Promise<void> {
  await db
    .deleteFrom('blueprints')
    .where('tenant_id', '=', upload.tenantId)
    .where('id', '=', upload.id)
    .where('upload_execution_id', '=', upload.executionId)
    .execute()
}

export async function readDeployment(db: Database, tenantId: number, id: string) {
  const row = await db
    .selectFrom('deployments as d')
    .innerJoin('blueprints as b', (join) =>
      join.onRef('b.tenant_id', '=', 'd.blueprint_tenant_id').onRef('b.id', '=', 'd.blueprint_id'),
    )
    .select([
      'd.id',
      'd.display_name',
      'd.visibility',
      'd.created_by',
      'd.runtime_only_evaluation',
      'b.requirements',
      sql<string>`b.plan::text`.as('planText'),
      'b.plan_parts',
      'b.tenant_id as blueprintTenantId',
      'b.id as blueprintId',
    ])
    .where('d.tenant_id', '=', tenantId)
    .where('d.id', '=', id)
    .executeTakeFirst()
  return row && { ...row, plan: { text: row.planText, parts: row.plan_parts } }
}

/** What these deployments of the tenant declare; of those that the user sees. */
export async function declaredCapabilities(
  db: Database,
  { tenantId, username }: { readonly tenantId: number; readonly username: string },
  ids: readonly string[],
) {
  const rows = await db
    .selectFrom('deployments as d')
    .select('d.capabilities')
    .where('d.tenant_id', '=', tenantId)
    .where(sql<boolean>`d.id = any(${[...ids]}::text[])`)
    .where(seenBy('d', username))
    .execute()
  return rows.map(({ capabilities }) => capabilities as DeploymentPlan['capabilities'])
}

type Owner = {
  readonly tenantId: number
  readonly deploymentId: string
  readonly visibility: 'private' | 'tenant' | 'global'
  readonly createdBy: string
}

/** Whatever an earlier, interrupted try may have written goes first: a creation can be run again from the start. */
export async function clearNodes(transaction: Transaction, { tenantId, deploymentId }: Owner): Promise<void> {
  for (const table of ['node_instances', 'nodes'] as const) {
    await transaction
      .deleteFrom(table)
      .where('tenant_id', '=', tenantId)
      .where('deployment_id', '=', deploymentId)
      .execute()
  }
}

export async function storeDeployment(
  transaction: Transaction,
  { tenantId, deploymentId }: Owner,
  columns: Environment['deployment'],
  displayName: string,
): Promise<void> {
  await transaction
    .updateTable('deployments')
    .set({ ...columns, display_name: displayName })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', deploymentId)
    .execute()
}
