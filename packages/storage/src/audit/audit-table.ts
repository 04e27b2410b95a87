import { type Kysely, sql } from 'kysely'
import { callerSetting } from './caller.ts'

/**
 * How a table is audited: which of its columns say what a row is, and which changes count.
 *
 * A row may be `r`: expressions of `identifier` read it.
 */
export type AuditedTable = {
  /** What `ref_identifier` shows: the name there, and the column or expression. */
  readonly identifier: Readonly<Record<string, string>>
  /** Column of a numeric id, for `ref_id`. */
  readonly id?: string
  /** Who did it when no request says so: workers act for a row's creator. */
  readonly creator?: string
  /** Columns that only say how the machine is getting on: leases, counters, computed statuses. */
  readonly unaudited?: readonly string[]
  /** Columns that count only when a request changes them, since workers write them all the time. */
  readonly byRequestOnly?: readonly string[]
  /** No change by a worker counts: its execution's own record says what happened. */
  readonly requestsOnly?: boolean
}

/**
 * Makes every change of the table leave its record in `audit_log`, in the transaction of the change: nothing is changed
 * without it, whatever statement does it. For migrations: one line for a new table, and again after one that adds columns.
 *
 * New and deleted rows are recorded by statement, updates by row, since only those can be told by column.
 */
export async function auditTable(db: Kysely<never>, table: string, audited: AuditedTable): Promise<void> {
  const columns = await columnsOf(db, table)
  for (const statement of statements(table, columns, audited)) await sql.raw(statement).execute(db)
}

/** For a table that is a log itself: one record for a request that deletes from it, whatever the number of rows. */
export async function auditDeletions(db: Kysely<never>, table: string): Promise<void> {
  for (const statement of [
    `create or replace function audit_all_${table}() returns trigger language plpgsql as $$
    declare caller json := current_setting('${callerSetting}', true)::json;
    begin
      insert into audit_log (ref_table, operation, creator_name, execution_id, remote_address)
      values ('${table}', 'delete', caller->>'username', caller->>'execution_id', caller->>'address');
      return null;
    end $$`,
    ...trigger(
      table,
      'audit_delete',
      'delete',
      `for each statement when (${hasCaller}) execute function audit_all_${table}()`,
    ),
  ]) {
    await sql.raw(statement).execute(db)
  }
}

const hasCaller = `nullif(current_setting('${callerSetting}', true), '') is not null`

const trigger = (table: string, name: string, event: string, rest: string) => [
  `drop trigger if exists ${name} on ${table}`,
  `create trigger ${name} after ${event} on ${table} ${rest}`,
]

async function columnsOf(db: Kysely<never>, table: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped
    order by attnum`.execute(db)
  return rows.map(({ name }) => name)
}

function statements(table: string, columns: readonly string[], audited: AuditedTable): readonly string[] {
  const { unaudited = [], byRequestOnly = [], requestsOnly = false } = audited
  const byAnybody = columns.filter((name) => !unaudited.includes(name))
  const byWorkers = byAnybody.filter((name) => !byRequestOnly.includes(name))
  const record = `execute function audit_${table}()`
  const recordAll = `execute function audit_all_${table}()`
  const creation = requestsOnly
    ? [
        ...trigger(table, 'audit_insert', 'insert', `for each row when (${hasCaller}) ${record}`),
        ...trigger(table, 'audit_delete', 'delete', `for each row when (${hasCaller}) ${record}`),
      ]
    : [
        ...trigger(
          table,
          'audit_insert',
          'insert',
          `referencing new table as changed for each statement ${recordAll}`,
        ),
        ...trigger(
          table,
          'audit_delete',
          'delete',
          `referencing old table as changed for each statement ${recordAll}`,
        ),
      ]
  const unchanged = requestsOnly || byWorkers.length === 0
  return [
    functionText(`audit_${table}`, table, audited, 'row'),
    ...(requestsOnly ? [] : [functionText(`audit_all_${table}`, table, audited, 'statement')]),
    ...creation,
    ...trigger(
      table,
      'audit_update',
      `update of ${byAnybody.join(', ')}`,
      `for each row when (${hasCaller}) ${record}`,
    ),
    ...(unchanged
      ? []
      : trigger(
          table,
          'audit_work',
          `update of ${byWorkers.join(', ')}`,
          `for each row when (not (${hasCaller})) ${record}`,
        )),
  ]
}

function functionText(
  name: string,
  table: string,
  { identifier, id, creator }: AuditedTable,
  level: 'row' | 'statement',
): string {
  const pairs = Object.entries(identifier).map(([key, value]) => `'${key}', ${qualified(value)}`)
  const created = creator === undefined ? 'null' : `r.${creator}::text`
  const insert = `
      insert into audit_log
        (ref_table, ref_id, ref_identifier, operation, creator_name, execution_id, remote_address)
      select '${table}', ${id === undefined ? 'null' : `r.${id}`}, json_build_object(${pairs.join(', ')}),
        case tg_op when 'INSERT' then 'create' when 'DELETE' then 'delete' else 'update' end,
        coalesce(caller->>'username', ${created}), caller->>'execution_id', caller->>'address'`
  const body =
    level === 'statement'
      ? `begin ${insert} from changed r; return null; end`
      : `begin
      if tg_op = 'DELETE' then r := old; else r := new; end if; ${insert};
      return null;
    end`
  return `create or replace function ${name}() returns trigger language plpgsql as $$
    declare
      caller json := nullif(current_setting('${callerSetting}', true), '')::json;
      ${level === 'row' ? `r ${table};` : ''}
    ${body} $$`
}

/** A bare column belongs to the row. */
const qualified = (value: string) => (/^\w+$/.test(value) ? `r.${value}` : value)

/** For identifiers of what belongs to a tenant. */
export const tenantName = '(select t.name from tenants t where t.id = r.tenant_id)'
