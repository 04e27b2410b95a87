import type { Database } from '@tutti/storage'
import { sql } from 'kysely'
import type { Kind } from './names.ts'

export type Surroundings = {
  readonly tenant: string
  readonly createdAt: string
  readonly blueprintId: string | null
  readonly blueprintSha256: string | null
  readonly folderSha256: string | null
  readonly folderVersion: string
  /** A zip that the deployment was restored with: what its folder begins with. */
  readonly restoredSha256: string | null
}

/** What a deployment's operations find beside them. */
export async function readSurroundings(
  db: Database,
  tenantId: number,
  deploymentId: string,
): Promise<Surroundings | undefined> {
  return db
    .selectFrom('deployments as d')
    .innerJoin('tenants as t', 't.id', 'd.tenant_id')
    .leftJoin('blueprints as b', (join) =>
      join.onRef('b.tenant_id', '=', 'd.blueprint_tenant_id').onRef('b.id', '=', 'd.blueprint_id'),
    )
    .leftJoin('deployment_folders as f', (join) =>
      join.onRef('f.tenant_id', '=', 'd.tenant_id').onRef('f.deployment_id', '=', 'd.id'),
    )
    .leftJoin('deployment_workdirs as w', (join) =>
      join.onRef('w.tenant_id', '=', 'd.tenant_id').onRef('w.deployment_id', '=', 'd.id'),
    )
    .select([
      't.name as tenant',
      sql<string>`d.created_at::text`.as('createdAt'),
      'b.id as blueprintId',
      'b.archive_sha256 as blueprintSha256',
      'f.sha256 as folderSha256',
      'w.archive_sha256 as restoredSha256',
      sql<string>`coalesce(f.version, 0)::text`.as('folderVersion'),
    ])
    .where('d.tenant_id', '=', tenantId)
    .where('d.id', '=', deploymentId)
    .executeTakeFirst()
}

/** Whose operation it was: another worker may have its execution by now, and run it again. */
export type HeldBy = { readonly executionId: string; readonly fence: number }

/** Answers the new version, or undefined when the deployment is gone or the execution is another worker's. */
export async function writeDeploymentFolder(
  db: Database,
  {
    tenantId,
    deploymentId,
    createdAt,
  }: { readonly tenantId: number; readonly deploymentId: string; readonly createdAt: string },
  sha256: string,
  { executionId, fence }: HeldBy,
): Promise<string | undefined> {
  const { rows } = await sql<{ version: string }>`
    insert into deployment_folders (tenant_id, deployment_id, sha256)
    select tenant_id, id, ${sha256} from deployments
    where tenant_id = ${tenantId} and id = ${deploymentId} and created_at::text = ${createdAt}
      and exists (
        select from executions e
        where e.tenant_id = ${tenantId} and e.id = ${executionId} and e.lease_fence = ${fence})
    on conflict (tenant_id, deployment_id)
      do update set sha256 = excluded.sha256, version = nextval('deployment_folder_versions')
    returning version::text`.execute(db)
  return rows[0]?.version
}

type Named = { readonly kind: Kind; readonly tenant: string; readonly id: string; readonly content: string }

/** Those of the laid out folders whose blueprint or deployment is no more. */
export async function findGone<One extends Named>(
  db: Database,
  laidOut: readonly One[],
): Promise<readonly One[]> {
  if (laidOut.length === 0) return []
  const texts = (value: (one: One) => string) => sql`${laidOut.map(value)}::text[]`
  const { rows } = await sql<{ position: string }>`
    select n.position from unnest(${texts(({ kind }) => kind)}, ${texts(({ tenant }) => tenant)},
      ${texts(({ id }) => id)}, ${texts(({ content }) => content)}) with ordinality as n (kind, tenant, id, content, position)
    left join tenants t on t.name = n.tenant
    where case n.kind
      when 'deployments' then not exists (
        select from deployments d where d.tenant_id = t.id and d.id = n.id and d.created_at::text = n.content)
      else not exists (select from blueprints b where b.tenant_id = t.id and b.id = n.id)
        and not exists (select from deployments d where d.tenant_id = t.id and d.blueprint_id = n.id)
    end`.execute(db)
  const gone = new Set(rows.map(({ position }) => Number(position)))
  return laidOut.filter((_one, index) => gone.has(index + 1))
}

export async function readInstallation(db: Database): Promise<string> {
  return (await db.selectFrom('installation').select('id').executeTakeFirstOrThrow()).id
}
