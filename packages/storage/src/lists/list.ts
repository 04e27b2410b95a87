import {
  type FieldFilter,
  type FilterRule,
  ItemAnswer,
  ListAnswer,
  type ListQuery,
  parseAnswer,
  type Reading,
} from '@tutti/api'
import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database.ts'
import { type Beside, batchRows, type Counts, inBatches, sizeOf } from './batches.ts'
import { columnOf, listOf } from './columns.ts'
import { fixedOnce, namesAny } from './fixed.ts'
import { literal } from './literal.ts'
import type { ListedField, ListedResource, Scope, Settling } from './resource.ts'
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
  const ordered = sql`where ${where} order by ${orderBy(resource, query, scope)}`
  const select = itemsOf(resource, query.include, scope, ordered)
  const isLarge = select.names.some((name) => resource.fields[name]?.isLarge)
  const from = fixedOnce(resource.from)
  const seenFrom = resource.seenFrom === undefined ? from : fixedOnce(resource.seenFrom.table)
  const isPlain = extra.length === 0 && rules === undefined && conditions(resource, query, scope).length === 0
  const page = {
    items: (limit: number | null) => select.items(limitTo(limit, query.page.offset)),
    total: (upTo: number) => counted(isPlain ? seenFrom : from, where, upTo),
    ...(rules !== undefined && {
      all: counted(
        extra.length === 0 ? seenFrom : from,
        conjunction([visibleIn(resource, scope), ...extra]),
        maxCounted + 1,
      ),
    }),
    settling: resource.settling,
    atOnce: isLarge ? batchRows.large : query.isLight ? batchRows.light : batchRows.usual,
  }
  const list = pagedList<Item>(db, query, page)
  return select.toItem === undefined ? list : list.map(select.toItem)
}

type PageOf = {
  /** The query of one JSON column, `item`, with so many rows at most; null: with all. */
  readonly items: (limit: number | null) => RawBuilder<unknown>
  /** How many rows there are, so many at most. */
  readonly total: (upTo: number) => RawBuilder<unknown>
  /** With rules, how many there are without them, up to one more than are counted. */
  readonly all?: RawBuilder<unknown>
  readonly settling?: Settling | undefined
  readonly atOnce?: number
}

/** The envelope of a page. A page that is not full is the last one: its end is the total, and nothing needs counting. */
export function pagedList<Item>(
  db: Database,
  query: Pick<ListQuery, 'page' | 'getAllResults'>,
  { items, atOnce, all, settling, total }: PageOf,
): ListAnswer<Item> {
  const { page, getAllResults } = query
  const { offset } = page
  const beside = { total: total(offset + countedAhead), ...(all !== undefined && { all }), settling }
  let counts: Counts | undefined
  async function* texts(reading: Reading) {
    const asked = { items, limit: sizeOf(query), offset, beside, ...(atOnce !== undefined && { atOnce }) }
    for await (const batch of inBatches(db, asked, reading)) {
      counts ??= batch.counts
      yield batch
    }
  }
  return new ListAnswer(texts, async (sent) => {
    const isLast = (getAllResults || sent < page.size) && (sent > 0 || offset === 0)
    const known = counts ?? (await readCounts(db, beside))
    const total = isLast ? offset + sent : (known.total ?? 0)
    // What was asked for, also when fewer items are left.
    const size = getAllResults ? sent : page.size
    const isCounted = known.all !== null && known.all <= maxCounted
    return { pagination: { total, offset, size }, filtered: isCounted ? (known.all ?? 0) - total : null }
  })
}

async function readCounts(db: Database, { total, all }: Beside): Promise<Counts> {
  const { rows } = await sql<Counts>`
    select (${total}) as total, ${all === undefined ? sql`null` : sql`(${all})`} as "all"`.execute(db)
  return rows[0] ?? { total: null, all: null }
}

/**
 * The limit stands in the text: a prepared statement is planned once for all its parameters, and with an unknown limit
 * PostgreSQL plans for a tenth of the table.
 */
export const limitTo = (limit: number | null, offset: number): RawBuilder<unknown> =>
  sql`${limit === null ? sql`` : sql`limit ${sql.lit(limit)}`} ${offset === 0 ? sql`` : sql`offset ${offset}`}`

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

/**
 * So many rows beyond a page are counted, and its `total` is exact up to there: of a million deployments, or of ten
 * million events, each page of 50 would wait for a count of all of them. Whoever goes on from page to page until
 * `offset` reaches `total` sees all of them all the same, as each page counts so far ahead.
 */
export const countedAhead = 100_000

/** How many rows there are, `limit` of them at most. */
export const counted = (from: RawBuilder<unknown>, where: RawBuilder<unknown>, limit: number) =>
  sql`select count(*) from (select from ${from} where ${where} limit ${limit}) as counted`

/** The one row that fits and that the caller may see; its own tenant's before a global one. */
export async function findItem(
  db: Database,
  resource: ListedResource,
  condition: RawBuilder<unknown>,
  scope: Scope,
  include?: readonly string[],
): Promise<ItemAnswer | undefined> {
  const { settling } = resource
  const own = sql`${fixedOnce(resource.tenantId)} = any(${[...scope.tenantIds]}::int[])`
  const names = include ?? Object.keys(resource.fields)
  const apart = names.filter((name) => resource.fields[name]?.written !== undefined)
  const list = listOf(resource, names, scope, apart.length > 0)
  const texts = apart.map((name) => {
    const needs = Object.entries(resource.fields[name]?.needs ?? {})
    const needed = sql.join(needs.map(([need, column]) => sql`${fixedOnce(column)} as ${sql.ref(need)}`))
    return sql`, ${columnOf(resource, name, scope)}::text as ${sql.ref(textOf(name))},
      (select row_to_json(needed) from (select ${needed}) as needed) as ${sql.ref(neededBy(name))}`
  })
  const read = async () => {
    const { rows } = await sql<ReadItem>`
      select (select row_to_json(one)::text from (select ${list}) as one) as item,
        ${settling === undefined ? sql`false` : fixedOnce(settling.isDue)} as "isDue" ${sql.join(texts, sql``)}
      from ${fixedOnce(resource.from)} where ${visibleIn(resource, scope)} and ${condition}
      order by ${own} desc limit 1`.execute(db)
    return rows[0]
  }
  let row = await read()
  if (row?.isDue && settling !== undefined) {
    await settling.settle(db)
    row = await read()
  }
  return row && new ItemAnswer(itemText(resource, names, row))
}

type ReadItem = { readonly item: string; readonly isDue: boolean } & Readonly<
  Record<ReturnType<typeof textOf>, string | null> & Record<ReturnType<typeof neededBy>, Item>
>
const textOf = (field: string) => `text of ${field}` as const
const neededBy = (field: string) => `needed by ${field}` as const

/** Only what SQL cannot say is parsed and written again; what is `written` stands behind the rest. */
function itemText({ fields }: ListedResource, names: readonly string[], read: ReadItem): string {
  const texts: string[] = []
  const others: string[] = []
  for (const name of names) {
    const text = fields[name]?.written?.(read[textOf(name)] ?? 'null', read[neededBy(name)] ?? {})
    if (text === undefined) others.push(name)
    else texts.push(`"${name}":${text}`)
  }
  const rest = others.some((name) => fields[name]?.toWire !== undefined)
    ? JSON.stringify(toItem(fields, others, parseAnswer(read.item) as Item))
    : read.item
  if (texts.length === 0) return rest
  return others.length === 0 ? `{${texts.join(',')}}` : `${rest.slice(0, -1)},${texts.join(',')}}`
}

/** The resource of that id. */
export function findById(
  db: Database,
  resource: ListedResource,
  id: string,
  scope: Scope,
  include?: readonly string[],
): Promise<ItemAnswer | undefined> {
  return findItem(
    db,
    resource,
    sql`${columnOf(resource, resource.idField ?? 'id', scope)} = ${id}`,
    scope,
    include,
  )
}

type Item = Readonly<Record<string, unknown>>

const toItem = (fields: ListedResource['fields'], names: readonly string[], row: Item): Item =>
  Object.fromEntries(names.map((name) => [name, shownValue(fields[name], name, row)]))

function shownValue(field: ListedField | undefined, name: string, row: Item): unknown {
  const value = row[name] ?? null
  return field?.toWire === undefined ? value : (field.toWire(value, row) ?? null)
}

/** How the fields that are named come out of the database; without names, all fields. */
function itemsOf(
  resource: ListedResource,
  include: readonly string[] | undefined,
  scope: Scope,
  ordered: RawBuilder<unknown>,
) {
  const names = include ?? Object.keys(resource.fields)
  const list = listOf(resource, names, scope)
  const { seenFrom } = resource
  const isOfTable = include !== undefined && seenFrom && !namesAny(sql`${list} ${ordered}`, seenFrom.without)
  const from = fixedOnce(isOfTable ? seenFrom.table : resource.from)
  return {
    names,
    items: (limit: RawBuilder<unknown>) =>
      sql`select row_to_json(one) as item from (select ${list} from ${from} ${ordered} ${limit}) as one`,
    /** Only where there is something that SQL cannot say. */
    toItem: names.some((name) => resource.fields[name]?.toWire !== undefined)
      ? (row: Item): Item => toItem(resource.fields, names, row)
      : undefined,
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
    return sql`${column} ${directions[direction]}`
  })
  const last = directions[query.sort.at(-1)?.direction ?? 'ascending']
  return sql.join([...keys, sql`${fixedOnce(resource.tieBreaker)} ${last}`])
}

const directions = { ascending: sql`asc`, descending: sql`desc` } as const
