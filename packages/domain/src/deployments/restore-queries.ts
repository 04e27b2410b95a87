import { deploymentStatuses } from '@tutti/api'
import { type Database, readArchive, type Transaction, toJson } from '@tutti/storage'

type Key = { readonly tenantId: number; readonly id: string }

const documents = [
  'inputs',
  'outputs',
  'capabilities',
  'groups',
  'scaling_groups',
  'policy_types',
  'policy_triggers',
  'resource_tags',
] as const

/** What a creation would have computed. Counts and statuses of what is below are computed here all the same. */
export type Recorded = Partial<Readonly<Record<(typeof documents)[number], unknown>>> & {
  readonly description?: string | null
  readonly workflows: unknown
  readonly deployment_status?: string | null
  readonly installation_status?: string | null
}

export async function setRecorded(transaction: Transaction, key: Key, recorded: Recorded): Promise<void> {
  const { deployment_status: status } = recorded
  await transaction
    .updateTable('deployments')
    .set({
      ...Object.fromEntries(
        documents.flatMap((name) => (recorded[name] == null ? [] : [[name, toJson(recorded[name])]])),
      ),
      description: recorded.description ?? null,
      workflows: toJson(recorded.workflows),
      installation_status: recorded.installation_status ?? null,
      ...(deploymentStatuses.some((one) => one === status) && { deployment_status: status as string }),
    })
    .where('tenant_id', '=', key.tenantId)
    .where('id', '=', key.id)
    .execute()
}

export async function insertWorkdir(transaction: Transaction, key: Key, sha256: string): Promise<void> {
  await transaction
    .insertInto('deployment_workdirs')
    .values({ tenant_id: key.tenantId, deployment_id: key.id, archive_sha256: sha256 })
    .execute()
}

/** The zip of the working folder, where one was restored. */
export async function findWorkdir(db: Database, key: Key): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('deployment_workdirs')
    .select('archive_sha256')
    .where('tenant_id', '=', key.tenantId)
    .where('deployment_id', '=', key.id)
    .executeTakeFirst()
  const archive = row && (await readArchive(db, row.archive_sha256))
  return archive && Buffer.concat(await archive.chunks.toArray())
}
