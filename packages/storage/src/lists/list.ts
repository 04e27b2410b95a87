import { type FieldFilter, type FilterRule, ListAnswer, type ListQuery, type Reading } from '@tutti/api'
import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database.ts'
import { batchRows, inBatches, sizeOf } from './batches.ts'
import { columnOf, listOf, wholeList } from './columns.ts'
import { literal } from './literal.ts'
import type { ListedResource, Scope } from './resource.ts'
import { ruleConditions } from './rules.ts'
import { conjunction, visibleIn } from './visible.ts'

/**
 * A list of a resource as the wire shows it (docs/reference/rest-conventions.md, "Lists"), read when it is sent.
 * `rules` are those of a stored filter and of a search, where there is one.
 */
export function listPage(
  db: Database,
  resource: ListedResource,
  query: ListQuery,
  scope: Scope,
  extra: readonly RawBuilder<unknown>[] = [],
  rules?: readonly FilterRule[],
): ListAnswer {
  const where = selection(resource, query, scope, [...extra, ...ruleConditions(resource, rules ?? [], scope)])
  const items = (reading: Reading) => readItems(db, resource, query, where, scope, reading)
  const count = (upTo: number) => countRows(db, resource.from, where, upTo)
  if (rules === undefined) return pagedList(query, items, count)
  return pagedList(query, items, count, () =>
    countUpTo(db, resource, conjunction([visibleIn(resource, scope), ...extra])),
  )
}

/**
 * The envelope of a page. A page that is not full is the last one: its end is the total, and nothing needs counting.
 *
 * @param count how many rows there are, so many at most
 * @param countAll with rules, how many there are without them; undefined where there are too many to count
 */
export function pagedList<Item>(
  { page, getAllResults }: Pick<ListQuery, 'page' | 'getAllResults'>,
  items: (reading: Reading) => AsyncIterable<readonly Item[]>,
  count: (upTo: number) => Promise<number>,
  countAll?: () => Promise<number | undefined>,
): ListAnswer<Item> {
  return new ListAnswer(items, async (sent) => {
    const { offset } = page
    const isLast = (getAllResults || sent < page.size) && (sent > 0 || offset === 0)
    const total = isLast ? offset + sent : await count(offset + countedAhead)
    const all = await countAll?.()
    // What was asked for, also when fewer items are left.
    const size = getAllResults ? sent : page.size
    return { pagination: { total, offset, size }, filtered: all === undefined ? null : all - total }
  })
}

/** What of a resource a request asks for, and may see. */
export const selection = (
  resource: ListedResource,
  query: ListQuery,
  scope: Scope,
  extra: readonly RawBuilder<unknown>[],
): RawBuilder<unknown> =>
  conjunction([visibleIn(resource, scope), ...conditions(resource, query, scope), ...extra])

/** How many rows a filter left out is worth some milliseconds, not a scan of a million rows. */
const maxCounted = 10_000

async function countUpTo(
  db: Database,
  resource: ListedResource,
  where: RawBuilder<unknown>,
): Promise<number | undefined> {
  const total = await countRows(db, resource.from, where, maxCounted + 1)
  return total > maxCounted ? undefined : total
}

/**
 * So many rows beyond a page are counted, and its `total` is exact up to there: of a million deployments, or of ten
 * million events, each page of 50 would wait for a count of all of them. Whoever goes on from page to page until
 * `offset` reaches `total` sees all of them all the same, as each page counts so far ahead.
 */
export const countedAhead = 100_000

/** How many rows there are, `limit` of them at most. */
export async function countRows(
  db: Database,
  from: RawBuilder<unknown>,
  where: RawBuilder<unknown>,
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from (select from ${from} where ${where} limit ${limit}) as counted`.execute(db)
  return rows[0]?.total ?? 0
}

async function* readItems(
  db: Database,
  resource: ListedResource,
  query: ListQuery,
  where: RawBuilder<unknown>,
  scope: Scope,
  reading: Reading,
): AsyncGenerator<readonly Item[]> {
  await resource.settle?.(db)
  const select = itemsOf(db, resource, query.include, scope)
  const ordered = sql`where ${where} order by ${orderBy(resource, query, scope)}`
  const rows = (limit: number | null) =>
    select.rows(sql`${ordered} limit ${limit} offset ${query.page.offset}`)
  const isLarge = select.names.some((name) => resource.fields[name]?.isLarge)
  const atOnce = isLarge ? batchRows.large : query.isLight ? batchRows.light : batchRows.usual
  for await (const batch of inBatches(db, rows, sizeOf(query), reading, atOnce)) {
    yield batch.map(select.toItem)
  }
}

/** The one row that fits and that the caller may see; its own tenant's before a global one. */
export async function findItem(
  db: Database,
  resource: ListedResource,
  condition: RawBuilder<unknown>,
  scope: Scope,
  include?: readonly string[],
): Promise<Readonly<Record<string, unknown>> | undefined> {
  await resource.settle?.(db)
  const own = sql`${resource.tenantId} = any(${[...scope.tenantIds]}::int[])`
  const select = itemsOf(db, resource, include, scope)
  const { rows } = await select
    .rows(sql`where ${visibleIn(resource, scope)} and ${condition} order by ${own} desc limit 1`)
    .execute(db)
  return rows.map(select.toItem)[0]
}

/** The resource of that id. */
export function findById(
  db: Database,
  resource: ListedResource,
  id: string,
  scope: Scope,
  include?: readonly string[],
): Promise<Readonly<Record<string, unknown>> | undefined> {
  return findItem(
    db,
    resource,
    sql`${columnOf(resource, resource.idField ?? 'id', scope)} = ${id}`,
    scope,
    include,
  )
}

type Item = Readonly<Record<string, unknown>>

/** How the fields that are named come out of the database; without names, all fields. */
function itemsOf(
  db: Database,
  resource: ListedResource,
  include: readonly string[] | undefined,
  scope: Scope,
) {
  const names = include ?? Object.keys(resource.fields)
  const list = include === undefined ? wholeList(db, resource, scope) : listOf(resource, names, scope)
  return {
    names,
    rows: (rest: RawBuilder<unknown>) => sql<Item>`select ${list} from ${resource.from} ${rest}`,
    toItem: (row: Item): Item =>
      Object.fromEntries(
        names.map((name) => {
          const value = row[name] ?? null
          const toWire = resource.fields[name]?.toWire
          return [name, toWire === undefined ? value : (toWire(value, row) ?? null)]
        }),
      ),
  }
}

function conditions(resource: ListedResource, query: ListQuery, scope: Scope): RawBuilder<unknown>[] {
  return [
    ...query.filters.map((filter) => fieldCondition(resource, filter, scope)),
    ...query.ranges.flatMap(({ field, from, to }) => {
      const column = columnOf(resource, field, scope)
      return [
        ...(from === undefined ? [] : [sql`${column} >= ${from}`]),
        ...(to === undefined ? [] : [sql`${column} < ${to}`]),
      ]
    }),
    ...searchCondition(resource, query),
  ]
}

function fieldCondition(
  resource: ListedResource,
  { field, values }: FieldFilter,
  scope: Scope,
): RawBuilder<unknown> {
  if (values.length === 0) return sql`false`
  const extra = resource.extraFilters?.[field]
  if (typeof extra === 'function') return extra(values, scope)
  const column = extra ?? resource.fields[field]?.filterBy ?? columnOf(resource, field, scope)
  const [first] = values
  if (values.length === 1) return sql`${comparable(column, values)} = ${first}`
  return sql`${comparable(column, values)} in (${sql.join(values)})`
}

/** Times are equal when they are shown alike: answers have milliseconds, the database keeps microseconds. */
const comparable = (column: RawBuilder<unknown>, [first]: FieldFilter['values']): RawBuilder<unknown> =>
  first instanceof Date ? sql`date_trunc('milliseconds', ${column})` : column

function searchCondition(resource: ListedResource, query: ListQuery): RawBuilder<unknown>[] {
  const either = [
    ...(query.search === undefined ? [] : [contains(resource.search, query.search)]),
    ...(query.searchName === undefined || resource.searchName === undefined
      ? []
      : [contains(resource.searchName, query.searchName)]),
  ]
  return either.length === 0 ? [] : [sql`(${sql.join(either, sql` or `)})`]
}

/** Case-insensitive, the text taken literally. */
function contains(column: RawBuilder<unknown>, text: string): RawBuilder<unknown> {
  return sql`${column} ilike ${`%${literal(text)}%`}`
}

function orderBy(resource: ListedResource, query: ListQuery, scope: Scope): RawBuilder<unknown> {
  const keys = query.sort.map(({ by, key, direction }) => {
    const column =
      by === 'label' ? (resource.labelValue?.(key, scope) ?? sql`null`) : columnOf(resource, key, scope)
    return direction === 'descending' ? sql`${column} desc` : sql`${column} asc`
  })
  const last = query.sort.at(-1)?.direction === 'descending' ? sql`desc` : sql`asc`
  return sql.join([...keys, sql`${resource.tieBreaker} ${last}`])
}
