import { type RawBuilder, sql } from 'kysely'
import type { Database, Transaction } from './database.ts'
import type { LabelledTable } from './labelled-table.ts'
import { literal } from './lists/literal.ts'
import { ownedAs } from './lists/owned-as.ts'
import type { Scope } from './lists/resource.ts'
import { seesAll, visibleIn } from './lists/visible.ts'

/** Of the labels `l`: whoever sees what has them need not see the deployments that computed ones name. */
export function isSeenLabel({ computed }: LabelledTable, scope: Scope): RawBuilder<unknown> {
  if (computed.length === 0 || seesAll(scope)) return sql`true`
  return sql`(l.key <> all(${[...computed]}::text[]) or not exists (
    select from deployments named where named.tenant_id = l.tenant_id and named.id = l.value
      and not (${visibleIn(ownedAs('named'), scope)})))`
}

type Owner = { readonly tenantId: number; readonly id: string }
type Pair = { readonly key: string; readonly value: string }
type NewPair = Pair & { readonly createdBy?: string; readonly createdAt?: Date }

/** Adds labels, of this user and now unless they say otherwise; pairs that are there already stay as they are. */
export async function addLabels(
  db: Database,
  { table, idColumn }: LabelledTable,
  { tenantId, id }: Owner,
  labels: readonly NewPair[],
  createdBy: string,
): Promise<void> {
  if (labels.length === 0) return
  await sql`
    insert into ${sql.table(table)} (tenant_id, ${sql.ref(idColumn)}, key, value, created_by, created_at)
    select ${tenantId}, ${id}, key, value, coalesce(created_by, ${createdBy}), coalesce(created_at, clock_timestamp())
    from unnest(
      ${labels.map(({ key }) => key)}::text[],
      ${labels.map(({ value }) => value)}::text[],
      ${labels.map((label) => label.createdBy ?? null)}::text[],
      ${labels.map((label) => label.createdAt ?? null)}::timestamptz[]
    ) as l (key, value, created_by, created_at)
    on conflict do nothing`.execute(db)
}

export async function removeLabels(
  db: Database,
  { table, idColumn }: LabelledTable,
  { tenantId, id }: Owner,
  labels: readonly Pair[],
): Promise<void> {
  await sql`
    delete from ${sql.table(table)}
    where tenant_id = ${tenantId} and ${sql.ref(idColumn)} = ${id}
      and (key, value) in (select key, value from ${pairs(labels)})`.execute(db)
}

/** Makes the labels exactly these, but for computed ones; pairs that stay keep their creation time. */
export async function replaceLabels(
  transaction: Transaction,
  labelled: LabelledTable,
  owner: Owner,
  labels: readonly NewPair[],
  createdBy: string,
): Promise<void> {
  await sql`
    delete from ${sql.table(labelled.table)}
    where tenant_id = ${owner.tenantId} and ${sql.ref(labelled.idColumn)} = ${owner.id}
      and (key, value) not in (select key, value from ${pairs(labels)})
      and key <> all(${[...labelled.computed]}::text[])`.execute(transaction)
  const given = labels.filter(({ key }) => !labelled.computed.includes(key))
  await addLabels(transaction, labelled, owner, given, createdBy)
}

/** Distinct keys of the labels in the scope, or the distinct values of one key, ascending. */
export async function readLabels(
  db: Database,
  labelled: LabelledTable,
  scope: Scope,
  query: {
    readonly key?: string
    readonly search?: string
    readonly limit: number
    readonly offset: number
  },
): Promise<{ items: string[]; total: number }> {
  const { table, idColumn, owners } = labelled
  const column = sql.ref(query.key === undefined ? 'key' : 'value')
  const hasSeenOwner = seesAll(scope)
    ? sql`true`
    : sql`exists (select from ${sql.table(owners)} o where o.tenant_id = l.tenant_id
        and o.id = l.${sql.ref(idColumn)} and ${visibleIn(ownedAs('o'), scope)})`
  const matching = sql`from ${sql.table(table)} l
    where l.tenant_id = any(${[...scope.tenantIds]}::int[]) and ${hasSeenOwner} and ${isSeenLabel(labelled, scope)}
    ${query.key === undefined ? sql`` : sql`and key = ${query.key}`}
    ${query.search === undefined ? sql`` : sql`and ${column} ilike ${`%${literal(query.search)}%`}`}`
  const { rows } = await sql<{ item: string }>`
    select distinct ${column} as item ${matching} order by 1 limit ${query.limit} offset ${query.offset}`.execute(
    db,
  )
  const count = await sql<{ total: number }>`select count(distinct ${column}) as total ${matching}`.execute(
    db,
  )
  return { items: rows.map((row) => row.item), total: count.rows[0]?.total ?? 0 }
}

function pairs(labels: readonly Pair[]) {
  return sql`unnest(${labels.map((label) => label.key)}::text[], ${labels.map((label) => label.value)}::text[])
    as pairs (key, value)`
}
