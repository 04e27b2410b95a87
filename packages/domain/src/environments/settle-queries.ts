import type { Database, Settling, Transaction } from '@tutti/storage'
import { sql } from 'kysely'
import { statusRank } from './status-queries.ts'

/** Changes that are settled in one transaction: enough for a large installation's burst, few enough for one statement. */
const batch = 10_000

/** Deeper than any environment is: labels in a circle, which the API refuses, must not keep us here for ever. */
const maxLevels = 1_000

/**
 * Brings the sums of all environments up to every change committed before the call (migrations/0050-environments.ts).
 * One process does it at a time, and whoever reads deployments calls it when there are any: mostly there are none, and
 * after ten thousand changes at once each environment above them is still written only once.
 *
 * A change is taken off the list and its deployment read anew: what was changed meanwhile is read too, and found the
 * same when its own note is taken. What a member adds is compared with what it added before, so that sums move by the
 * difference and no environment is ever counted anew.
 */
export async function settleEnvironments(db: Database): Promise<void> {
  // A transaction of the caller's would hold the lock until its end.
  if (db.isTransaction) return
  const { rows } = await sql`select from environment_changes order by id limit 1`.execute(db)
  if (rows.length === 0) return
  while ((await settleBatch(db)) === batch);
}

/** Sums that readers of deployments are shown. */
export const settlingEnvironments: Settling = {
  isDue: sql`exists (select from environment_changes)`,
  settle: settleEnvironments,
}

type Deployments = { readonly tenantIds: readonly number[]; readonly ids: readonly string[] }

function settleBatch(db: Database): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(hashtext('tutti.environments'))`.execute(transaction)
    const { taken, changed: first } = await takeChanges(transaction)
    let changed = first
    for (let level = 0; changed.ids.length > 0 && level < maxLevels; level += 1) {
      changed = await addDifferences(transaction, await moveMembers(transaction, changed))
    }
    return taken
  })
}

async function takeChanges(transaction: Transaction): Promise<{ taken: number; changed: Deployments }> {
  const { rows } = await sql<{ tenant_id: number; id: string; notes: number }>`
    with taken as (
      delete from environment_changes
      where id in (select id from environment_changes order by id limit ${batch})
      returning tenant_id, deployment_id
    )
    select tenant_id, deployment_id as id, count(*) as notes from taken group by 1, 2`.execute(transaction)
  return { taken: rows.reduce((sum, { notes }) => sum + notes, 0), changed: deploymentsOf(rows) }
}

const deploymentsOf = (rows: readonly { tenant_id: number; id: string }[]): Deployments => ({
  tenantIds: rows.map((row) => row.tenant_id),
  ids: rows.map((row) => row.id),
})

const sums = [
  'services',
  'environments',
  'services_in_progress',
  'services_requiring_attention',
  'environments_in_progress',
  'environments_requiring_attention',
] as const

/** Text: a sum may be larger than a number can be. */
type Difference = { readonly tenant_id: number; readonly id: string } & Record<(typeof sums)[number], string>

/** Stores what these deployments add to their environments now. Answers by how much each environment's sums differ. */
async function moveMembers(
  transaction: Transaction,
  { tenantIds, ids }: Deployments,
): Promise<readonly Difference[]> {
  const { rows } = await sql<Difference>`
    with changed as (
      select * from unnest(${[...tenantIds]}::int[], ${[...ids]}::text[]) as c (tenant_id, id)
    ), present as (
      select d.tenant_id, d.id,
        coalesce(e.services, 0) as services, coalesce(e.environments, 0) as environments,
        coalesce(${sumsRank('services')}, 0) as services_rank,
        coalesce(${sumsRank('environments')}, 0) as environments_rank,
        ${statusRank('d')} as own_rank,
        exists (select from deployment_labels t where t.tenant_id = d.tenant_id and t.deployment_id = d.id
          and t.key = 'csys-obj-type' and t.value = 'environment') as is_environment
      from changed c
      join deployments d on d.tenant_id = c.tenant_id and d.id = c.id
      left join environments e on e.tenant_id = d.tenant_id and e.id = d.id
    ), wanted as (
      select x.tenant_id, l.value as environment_id, x.id as member_id,
        x.services + (not is_environment)::int as services,
        x.environments + is_environment::int as environments,
        case when is_environment then services_rank else status_rank end as services_rank,
        case when is_environment then status_rank else environments_rank end as environments_rank
      from (select *, greatest(own_rank, services_rank, environments_rank) as status_rank from present) x
      join deployment_labels l
        on l.tenant_id = x.tenant_id and l.deployment_id = x.id and l.key = 'csys-obj-parent'
    ), stored as (
      select m.* from changed c
      join environment_members m on m.tenant_id = c.tenant_id and m.member_id = c.id
    ), moved as (
      select tenant_id, environment_id, member_id,
        w.services, w.environments, w.services_rank, w.environments_rank,
        s.services as old_services, s.environments as old_environments,
        s.services_rank as old_services_rank, s.environments_rank as old_environments_rank
      from wanted w full join stored s using (tenant_id, environment_id, member_id)
      where (w.services, w.environments, w.services_rank, w.environments_rank)
        is distinct from (s.services, s.environments, s.services_rank, s.environments_rank)
    ), gone as (
      delete from environment_members m using moved v
      where v.services is null and m.tenant_id = v.tenant_id
        and m.environment_id = v.environment_id and m.member_id = v.member_id
    ), kept as (
      insert into environment_members
      select tenant_id, environment_id, member_id, services, environments, services_rank, environments_rank
      from moved where services is not null
      on conflict (tenant_id, environment_id, member_id) do update set
        services = excluded.services, environments = excluded.environments,
        services_rank = excluded.services_rank, environments_rank = excluded.environments_rank
    )
    select tenant_id, environment_id as id,
      (sum(coalesce(services, 0) - coalesce(old_services, 0)))::text as services,
      (sum(coalesce(environments, 0) - coalesce(old_environments, 0)))::text as environments,
      ${more('services', 2)} as services_in_progress, ${more('services', 3)} as services_requiring_attention,
      ${more('environments', 2)} as environments_in_progress,
      ${more('environments', 3)} as environments_requiring_attention
    from moved group by tenant_id, environment_id`.execute(transaction)
  return rows
}

/** The worst rank among the members of an environment `e`. */
function sumsRank(kind: 'services' | 'environments') {
  const column = (suffix: string) => sql.ref(`e.${kind}${suffix}`)
  return sql`case when ${column('_requiring_attention')} > 0 then 3 when ${column('_in_progress')} > 0 then 2
    when ${column('')} > 0 then 1 else 0 end`
}

/** How many more members have that rank. */
function more(kind: 'services' | 'environments', rank: 2 | 3) {
  const [now, before] = [sql.ref(`${kind}_rank`), sql.ref(`old_${kind}_rank`)]
  return sql`(count(*) filter (where ${now} = ${sql.lit(rank)})
    - count(*) filter (where ${before} = ${sql.lit(rank)}))::text`
}

/** Answers the environments: what they add to their own parents may differ now. */
async function addDifferences(
  transaction: Transaction,
  differences: readonly Difference[],
): Promise<Deployments> {
  const changed = deploymentsOf(differences)
  if (differences.length === 0) return changed
  const columns = sums.map((name) => sql`${differences.map((difference) => difference[name])}::numeric[]`)
  const additions = sums.map(
    (name) => sql`${sql.ref(name)} = ${sql.ref(`e.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
  )
  await sql`
    insert into environments as e (tenant_id, id, ${sql.join(sums.map((name) => sql.ref(name)))})
    select * from unnest(${[...changed.tenantIds]}::int[], ${[...changed.ids]}::text[], ${sql.join(columns)})
    on conflict (tenant_id, id) do update set ${sql.join(additions)}`.execute(transaction)
  // Every member adds at least itself.
  await sql`
    delete from environments e
    using unnest(${[...changed.tenantIds]}::int[], ${[...changed.ids]}::text[]) as c (tenant_id, id)
    where e.tenant_id = c.tenant_id and e.id = c.id and e.services = 0 and e.environments = 0`.execute(
    transaction,
  )
  return changed
}
