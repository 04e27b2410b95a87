import { setTimeout as delay } from 'node:timers/promises'
import {
  ApiError,
  type AuditRecord,
  badParameter,
  parseTimestamp,
  type RouteQuery,
  wireList,
} from '@tutti/api'
import { type Database, isDatabaseAway } from '@tutti/storage'
import type { Actor } from '../actor.ts'
import {
  type AuditRow,
  type AuditSelection,
  auditOrders,
  deleteRecords,
  endOfLog,
  type InjectedRecord,
  insertRecords,
  listRecords,
  type Position,
  readOn,
} from './queries.ts'

const defaultSize = 100

/** @throws bad_parameters_error */
export async function listAudit({ services }: Actor, options: RouteQuery<'audit.list'>) {
  const { order_by = 'created_at', desc = false, offset = 0, size = defaultSize } = options
  const selection = selectionOf(options)
  if (selection.since !== undefined && selection.before !== undefined) {
    throw badParameter('Pass one of since and before, not both')
  }
  const orderBy = auditOrders.find((name) => name === order_by)
  if (orderBy === undefined) {
    throw badParameter(`Invalid order_by: ${order_by}. Valid values are: ${wireList(auditOrders)}`)
  }
  const page = { orderBy, descending: desc, offset, size: size === 0 ? undefined : size }
  return listRecords(services.db, selection, page).map((record) =>
    wireRecord({ ...record, created_at: new Date(record.created_at) }),
  )
}

/** @throws validation_error without `before` */
export async function truncateAudit({ services }: Actor, options: RouteQuery<'audit.truncate'>) {
  if (options.before === undefined) {
    const detail = [{ loc: ['query', 'before'], msg: 'field required', type: 'value_error.missing' }]
    throw new ApiError('validation_error', 'before: field required', { details: { detail } })
  }
  return { deleted: await deleteRecords(services.db, selectionOf(options)) }
}

/** @throws bad_parameters_error */
export async function injectAudit({ services }: Actor, body: unknown): Promise<void> {
  if (!Array.isArray(body)) throw badParameter('The request body is expected to be a list of audit records')
  await insertRecords(services.db, body.map(parseRecord))
}

const operations: readonly unknown[] = ['create', 'update', 'delete']
const maxInteger = 2 ** 31 - 1

function parseRecord(given: unknown, index: number): InjectedRecord {
  const wrong = (what: string) => badParameter(`Audit record ${index}: ${what}`)
  if (typeof given !== 'object' || given === null) throw wrong('it is no object')
  const { ref_table, ref_id, ref_identifier, operation, created_at, ...rest } = given as Readonly<
    Record<string, unknown>
  >
  if (typeof ref_table !== 'string' || ref_table === '') throw wrong('ref_table must be a text')
  if (!operations.includes(operation)) throw wrong(`operation must be one of ${operations.join(', ')}`)
  if (ref_id != null && !(Number.isInteger(ref_id) && Math.abs(Number(ref_id)) <= maxInteger)) {
    throw wrong('ref_id must be an integer')
  }
  if (created_at != null && typeof created_at !== 'string') throw wrong('created_at must be a time')
  const text = (name: string) => {
    const value = rest[name]
    if (value != null && typeof value !== 'string') throw wrong(`${name} must be a text`)
    return value ?? null
  }
  return {
    ref_table,
    ref_id: ref_id == null ? null : Number(ref_id),
    ref_identifier,
    operation: String(operation),
    creator_name: text('creator_name'),
    execution_id: text('execution_id'),
    remote_address: text('remote_address'),
    created_at: created_at == null ? undefined : parseTimestamp(created_at),
  }
}

const pageSize = 500
const pollMs = 500

/**
 * The records from `since` on, without it those from now on, as they come; each is sent once. Ends with the client, or
 * when the manager stops to listen.
 */
export async function followAudit(
  { services }: Actor,
  options: RouteQuery<'audit.stream'>,
  isOpen: () => boolean,
): Promise<AsyncIterable<readonly AuditRecord[]>> {
  const selection = selectionOf(options)
  const start = selection.since === undefined ? await endOfLog(services.db) : undefined
  return follow(services.db, selection, start, isOpen)
}

async function* follow(
  db: Database,
  selection: AuditSelection,
  start: Position | undefined,
  isOpen: () => boolean,
): AsyncGenerator<readonly AuditRecord[]> {
  let position = start
  while (isOpen()) {
    const rows = await readOn(db, selection, position, pageSize).catch((error: unknown) => {
      // Whoever follows has time: it goes on when the database is back.
      if (isDatabaseAway(error)) return []
      throw error
    })
    if (rows.length > 0) yield rows.map(wireRecord)
    position = rows.at(-1) ?? position
    if (rows.length < pageSize) await delay(pollMs)
  }
}

function selectionOf(options: RouteQuery<'audit.stream'> & { readonly before?: string }): AuditSelection {
  return {
    creatorName: options.creator_name,
    executionId: options.execution_id,
    since: options.since === undefined ? undefined : parseTimestamp(options.since),
    before: options.before === undefined ? undefined : parseTimestamp(options.before),
  }
}

function wireRecord(row: AuditRow): AuditRecord {
  const { id, ref_table, operation, created_at } = row
  const { ref_id, ref_identifier, creator_name, execution_id, remote_address } = row
  const optional = { ref_id, ref_identifier, creator_name, execution_id, remote_address }
  return {
    id,
    ref_table,
    operation,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== null)),
    created_at: created_at.toISOString().slice(0, -1),
  }
}
