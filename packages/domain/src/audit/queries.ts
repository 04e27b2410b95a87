import { ListAnswer } from '@tutti/api'
import { type Database, inBatches, toJson, wireTime } from '@tutti/storage'
import { type RawBuilder, sql } from 'kysely'

/** Which records are meant; several conditions must all hold. */
export type AuditSelection = {
  readonly creatorName?: string | undefined
  readonly executionId?: string | undefined
  readonly since?: Date | undefined
  readonly before?: Date | undefined
}

export type AuditRow = {
  readonly id: number
  readonly ref_table: string
  readonly ref_id: number | null
  readonly ref_identifier: unknown
  readonly operation: 'create' | 'update' | 'delete'
  readonly creator_name: string | null
  readonly execution_id: string | null
  readonly remote_address: string | null
  readonly created_at: Date
}

/** As JSON has it. */
export type ShownRecord = Omit<AuditRow, 'created_at'> & { readonly created_at: string }

const names = sql`id, ref_table, ref_id, ref_identifier, operation, creator_name, execution_id, remote_address`
const columns = sql`${names}, created_at`
const shownColumns = sql`${names}, ${wireTime(sql`created_at`)} as created_at`

/** Names by which the log can be ordered. */
export const auditOrders = [
  'id',
  'ref_table',
  'ref_id',
  'operation',
  'creator_name',
  'execution_id',
  'created_at',
] as const

export type AuditPage = {
  readonly orderBy: (typeof auditOrders)[number]
  readonly descending: boolean
  readonly offset: number
  /** Undefined: all. */
  readonly size: number | undefined
}

export function listRecords(
  db: Database,
  selection: AuditSelection,
  page: AuditPage,
): ListAnswer<ShownRecord> {
  const where = condition(selection)
  const direction = page.descending ? sql`desc` : sql`asc`
  const items = (limit: number | null) => sql`
    select row_to_json(one) as item from (select ${shownColumns} from audit_log where ${where}
    order by ${sql.ref(`audit_log.${page.orderBy}`)} ${direction}, id ${direction}
    limit ${limit} offset ${page.offset}) as one`
  const { offset, size } = page
  return new ListAnswer(
    (reading) => inBatches(db, { items, limit: size ?? null }, reading),
    async () => {
      const { rows } = await sql<{ total: number }>`
      select count(*) as total from audit_log where ${where}`.execute(db)
      return { pagination: { total: rows[0]?.total ?? 0, offset, size: size ?? 0 }, filtered: null }
    },
  )
}

export async function deleteRecords(db: Database, selection: AuditSelection): Promise<number> {
  const { numAffectedRows } = await sql`delete from audit_log where ${condition(selection)}`.execute(db)
  return Number(numAffectedRows ?? 0)
}

export type InjectedRecord = {
  readonly ref_table: string
  readonly ref_id: number | null
  readonly ref_identifier: unknown
  readonly operation: string
  readonly creator_name: string | null
  readonly execution_id: string | null
  readonly remote_address: string | null
  readonly created_at: Date | undefined
}

export async function insertRecords(db: Database, records: readonly InjectedRecord[]): Promise<void> {
  if (records.length === 0) return
  // One parameter, whatever their number.
  await sql`
    insert into audit_log (ref_table, ref_id, ref_identifier, operation, creator_name, execution_id, remote_address,
      created_at)
    select r->>'ref_table', (r->>'ref_id')::int, nullif((r->'ref_identifier')::text, 'null')::json, r->>'operation',
      r->>'creator_name', r->>'execution_id', r->>'remote_address',
      coalesce((r->>'created_at')::timestamptz, clock_timestamp())
    from json_array_elements(${toJson(records)}::json) as e (r)`.execute(db)
}

/** Where a reader of the growing log is: everything up to here has been read. */
export type Position = { readonly xact: string; readonly id: number }

/** Behind everything that is committed for certain now. */
export async function endOfLog(db: Database): Promise<Position> {
  const { rows } = await sql<{ xact: string }>`
    select (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1)::text as xact`.execute(db)
  return { xact: rows[0]?.xact ?? '0', id: Number.MAX_SAFE_INTEGER }
}

/**
 * What follows the position, of transactions below the oldest that still runs: no other record will ever come to stand
 * before these.
 */
export async function readOn(
  db: Database,
  selection: AuditSelection,
  from: Position | undefined,
  limit: number,
): Promise<readonly (AuditRow & Position)[]> {
  const after =
    from === undefined ? sql`true` : sql`(xact, id) > (${from.xact}::text::xid8, ${from.id}::bigint)`
  const { rows } = await sql<AuditRow & Position>`
    select ${columns}, xact::text from audit_log
    where xact < pg_snapshot_xmin(pg_current_snapshot()) and ${after} and ${condition(selection)}
    order by xact, id limit ${limit}`.execute(db)
  return rows
}

function condition({ creatorName, executionId, since, before }: AuditSelection): RawBuilder<unknown> {
  const parts = [
    ...(creatorName === undefined ? [] : [sql`creator_name = ${creatorName}`]),
    ...(executionId === undefined ? [] : [sql`execution_id = ${executionId}`]),
    ...(since === undefined ? [] : [sql`created_at >= ${since}`]),
    ...(before === undefined ? [] : [sql`created_at < ${before}`]),
  ]
  return parts.length === 0 ? sql`true` : sql.join(parts, sql` and `)
}
