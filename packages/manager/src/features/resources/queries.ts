import type { Database } from '@tutti/storage'

export async function findArchiveOf(
  db: Database,
  kind: 'deployments' | 'blueprints',
  tenantName: string,
  id: string,
): Promise<string | undefined> {
  const blueprints = db
    .selectFrom('blueprints as b')
    .innerJoin('tenants as t', 't.id', 'b.tenant_id')
    .select('b.archive_sha256')
  const row =
    kind === 'blueprints'
      ? await blueprints.where('b.id', '=', id).where('t.name', '=', tenantName).executeTakeFirst()
      : await db
          .selectFrom('deployments as d')
          .innerJoin('tenants as t', 't.id', 'd.tenant_id')
          .innerJoin('blueprints as b', (join) =>
            join.onRef('b.tenant_id', '=', 'd.blueprint_tenant_id').onRef('b.id', '=', 'd.blueprint_id'),
          )
          .select('b.archive_sha256')
          .where('d.id', '=', id)
          .where('t.name', '=', tenantName)
          .executeTakeFirst()
  return row?.archive_sha256 ?? undefined
}
