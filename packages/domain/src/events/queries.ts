import type { Event, EventKind, EventVocabulary, ListAnswer, ListQuery } from '@tutti/api'
import { eventTypeName } from '@tutti/api'
import {
  counted,
  type Database,
  fixed,
  fixedOnce,
  limitTo,
  ownedAs,
  pagedList,
  type Scope,
  visibleIn,
  wireTime,
} from '@tutti/storage'
import { type RawBuilder, sql } from 'kysely'

/** Which events a request is about, and in whose eyes. */
export type EventsQuery = {
  readonly scope: Scope
  readonly kinds: readonly EventKind[]
  /** Equal to one of the values. */
  readonly equal: readonly { readonly field: string; readonly values: readonly unknown[] }[]
  /** ILIKE patterns of the caller's own, which must all fit. */
  readonly like: readonly { readonly field: 'operation' | 'message'; readonly pattern: string }[]
  readonly ranges: ListQuery['ranges']
}

/** Field of the wire → column. `node_id` of the wire's filters is the node's name, as it is here. */
const columns: Readonly<Record<string, RawBuilder<unknown>>> = {
  _storage_id: sql`id`,
  type: sql`is_log`,
  node_name: sql`node_id`,
  ...Object.fromEntries(
    [
      'event_type',
      'level',
      'logger',
      'message',
      'blueprint_id',
      'deployment_id',
      'deployment_display_name',
      'execution_id',
      'execution_group_id',
      'workflow_id',
      'node_id',
      'node_instance_id',
      'source_id',
      'target_id',
      'operation',
      'manager_name',
      'agent_name',
      'timestamp',
      'reported_timestamp',
    ].map((name) => [name, sql.ref(name)]),
  ),
}

function columnOf(field: string): RawBuilder<unknown> {
  const column = columns[field]
  if (column === undefined) throw new Error(`Events have no column for ${field}`)
  return fixedOnce(column)
}

const owned = ownedAs('events')
const counts = ownedAs('event_counts')

export function listEventRows(
  db: Database,
  query: EventsQuery,
  list: ListQuery,
  vocabulary: EventVocabulary,
): ListAnswer<Event> {
  const items = (limit: number | null) => sql`
    select ${shownEvents[vocabulary]} as item from (
      select * from events where ${conditions(query)} order by ${orderBy(list.sort)}
      ${limitTo(limit, list.page.offset)}) as page`
  return pagedList<Event>(db, list, { items, total: (upTo) => countOf(query, upTo) })
}

/** What events are counted by when they are written. */
const countedBy: ReadonlySet<string> = new Set(['execution_id', 'deployment_id'])

/** How many events there are, so many at most: as they were counted when they were written, where that is known. */
function countOf(query: EventsQuery, upTo: number): RawBuilder<unknown> {
  const { equal, like, ranges } = query
  const one = counted(sql`events`, conditions(query), upTo)
  if (like.length + ranges.length > 0 || !equal.every(({ field }) => countedBy.has(field))) return one
  // Of more rows than that, events themselves are not more to count; and deletions make rows below zero.
  return sql`select case when count(*) < ${upTo} then least(coalesce(sum(count), 0)::bigint, ${upTo}) else (${one}) end
    from (select count from event_counts where ${conditions(query, counts)} limit ${upTo}) as known`
}

export async function deleteEvents(db: Database, query: EventsQuery): Promise<number> {
  const { numAffectedRows } = await sql`delete from events where ${conditions(query)}`.execute(db)
  return Number(numAffectedRows ?? 0)
}

function conditions(query: EventsQuery, rows = owned): RawBuilder<unknown> {
  const { kinds, equal, like, ranges } = query
  return sql.join(
    [
      visibleIn(rows, query.scope),
      ...(kinds.length === 2 ? [] : [kinds.length === 0 ? sql`false` : sql`is_log = ${kinds[0] === 'log'}`]),
      ...equal.map(({ field, values }) =>
        values.length === 1
          ? sql`${columnOf(field)} = ${values[0]}`
          : sql`${columnOf(field)} in (${sql.join(values)})`,
      ),
      ...like.map(({ field, pattern }) => sql`${columnOf(field)} ilike ${pattern}`),
      ...ranges.flatMap(({ field, from, to }) => [
        ...(from === undefined ? [] : [sql`${columnOf(field)} >= ${from}`]),
        ...(to === undefined ? [] : [sql`${columnOf(field)} < ${to}`]),
      ]),
    ],
    sql` and `,
  )
}

/**
 * The order asked for, then that of insertion in the last key's direction: what is appended while a client pages
 * lands behind what it has seen (docs/reference/events.md). The list's own `timestamp` key says the same as the
 * insertion does, so behind another key it is left to that.
 */
function orderBy(sort: ListQuery['sort']): RawBuilder<unknown> {
  const isDefault = (key: string, index: number) =>
    key === 'timestamp' && index > 0 && index === sort.length - 1
  const keys = sort.filter(({ key }, index) => !isDefault(key, index))
  const direction = (of: ListQuery['sort'][number] | undefined) =>
    of?.direction === 'descending' ? sql`desc` : sql`asc`
  return sql.join([
    ...keys.map((one) => sql`${columnOf(one.key)} ${direction(one)}`),
    sql`id ${direction(keys.at(-1))}`,
  ])
}

const inBoth = [
  'message',
  'error_causes',
  'blueprint_id',
  'deployment_id',
  'deployment_display_name',
  'execution_id',
  'execution_group_id',
  'workflow_id',
  'node_name',
  'node_instance_id',
  'source_id',
  'target_id',
  'operation',
  'manager_name',
  'agent_name',
  'timestamp',
  'reported_timestamp',
]

/** Flat, as v3.1 shows it; `cfy` reads most of these keys unasked, from logs too (docs/reference/events.md). */
const shownEvent = (vocabulary: EventVocabulary) =>
  fixed(sql`case when is_log then ${shownAs('log', vocabulary, ['level', 'logger'])}
    else ${shownAs('event', vocabulary, ['event_type'])} end`)

function shownAs(kind: EventKind, vocabulary: EventVocabulary, own: readonly string[]): RawBuilder<unknown> {
  const shown = [...own, ...inBoth].map((name) => {
    const column = columns[name] ?? sql.ref(name)
    return sql`${name.endsWith('timestamp') ? wireTime(column) : column} as ${sql.ref(name)}`
  })
  const type = sql.lit(eventTypeName(kind, vocabulary))
  return sql`(select row_to_json(one) from (
    select id as _storage_id, ${type} as type, ${sql.join(shown)}) as one)`
}

const shownEvents = { cloudify: shownEvent('cloudify'), svc: shownEvent('svc') } as const

/** An event or a log line of an execution, as its sender knows it (docs/reference/events.md, "Kinds of events"). */
export type SentEvent = {
  readonly isLog: boolean
  readonly message: string
  /** When it happened where it was sent from; now when left out. */
  readonly reportedAt?: Date | undefined
  /** When a manager stored it first; only restores give it. */
  readonly storedAt?: Date | undefined
  /** Of events only. */
  readonly eventType?: string | undefined
  /** Of logs only. */
  readonly level?: string | undefined
  readonly logger?: string | undefined
  readonly operation?: string | null | undefined
  readonly nodeInstanceId?: string | null | undefined
  /** Node instances of a relationship operation. */
  readonly sourceId?: string | null | undefined
  readonly targetId?: string | null | undefined
  /** List of `{message, type, traceback}`. */
  readonly errorCauses?: unknown
}

export type EventSender = { readonly managerName?: string | null; readonly agentName?: string | null }

/** An execution, or a group as such, that is in the scope. */
export type EventTarget = { readonly scope: Scope } & (
  | { readonly executionId: string }
  | { readonly executionGroupId: string }
)

/**
 * Appends events of one execution or group, in their order, by one statement: this is the hot path of running operations.
 * What the execution and the node instance know (deployment, blueprint, workflow, node) is looked up in it; instances of
 * other deployments are none of its business.
 * Returns how many were written: none when there is no such target.
 */
export async function insertSentEvents(
  db: Database,
  target: EventTarget,
  events: readonly SentEvent[],
  sender: EventSender = {},
): Promise<number> {
  if (events.length === 0) return 0
  const texts = (value: (event: SentEvent) => string | null | undefined) =>
    sql`${events.map((event) => storable(value(event)))}::text[]`
  const times = (value: (event: SentEvent) => Date | undefined) =>
    sql`${events.map((event) => value(event) ?? null)}::timestamptz[]`
  const { numAffectedRows } = await sql`
    insert into events (
      tenant_id, execution_id, execution_group_id, workflow_id, deployment_id, deployment_display_name, blueprint_id,
      visibility, created_by, is_log, timestamp, reported_timestamp, event_type, level, logger, message, operation,
      node_id, node_instance_id, source_id, target_id, error_causes, manager_name, agent_name)
    select
      e.tenant_id, e.execution_id, e.execution_group_id, e.workflow_id, e.deployment_id, e.deployment_display_name,
      e.blueprint_id, e.visibility, e.created_by, n.is_log, coalesce(n.stored_at, clock_timestamp()), coalesce(n.reported_at, clock_timestamp()),
      n.event_type, n.level, n.logger, n.message, n.operation,
      i.node_id, i.id, n.source_id, n.target_id, n.error_causes::json,
      ${storable(sender.managerName)}, ${storable(sender.agentName)}
    from ${targetRow(target)} as e
    cross join unnest(
      ${events.map((event) => event.isLog)}::boolean[],
      ${times((event) => event.storedAt)}, ${times((event) => event.reportedAt)},
      ${texts((event) => event.eventType)}, ${texts((event) => event.level)}, ${texts((event) => event.logger)},
      ${texts((event) => event.message)}, ${texts((event) => event.operation)},
      ${texts((event) => event.nodeInstanceId)}, ${texts((event) => event.sourceId)}, ${texts((event) => event.targetId)},
      ${texts((event) => (event.errorCauses == null ? null : JSON.stringify(event.errorCauses)))}
    ) with ordinality as n (
      is_log, stored_at, reported_at, event_type, level, logger, message, operation,
      node_instance_id, source_id, target_id, error_causes, position)
    left join node_instances i
      on i.tenant_id = e.tenant_id and i.id = n.node_instance_id and i.deployment_id = e.deployment_id
    order by n.position`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** What all events of the target have in common: at most one row. */
function targetRow({ scope, ...target }: EventTarget): RawBuilder<unknown> {
  const isSeen = visibleIn(ownedAs('t'), scope)
  if ('executionId' in target) {
    return sql`(
      select tenant_id, id as execution_id, null::text as execution_group_id, workflow_id, deployment_id,
        deployment_display_name, blueprint_id, visibility, created_by
      from executions t where t.id = ${target.executionId} and ${isSeen})`
  }
  return sql`(
    select tenant_id, null::text as execution_id, id as execution_group_id, null::text as workflow_id,
      null::text as deployment_id, null::text as deployment_display_name, null::text as blueprint_id, visibility,
      created_by
    from execution_groups t where t.id = ${target.executionGroupId} and ${isSeen})`
}

/** PostgreSQL's text holds no NUL: output of programs that has some is stored with `<NUL>` in their place. */
function storable(text: string | null | undefined): string | null {
  return text?.replaceAll('\0', '<NUL>') ?? null
}
