import { sql } from 'kysely'
import type { Database } from './database.ts'

export type TableSize = {
  readonly name: string
  /** With its indexes and what is stored apart. */
  readonly bytes: number
  /** As the server last estimated it. */
  readonly rows: number
  /** Since the server's statistics were reset. */
  readonly inserted: number
}

/** The tables that grow with use. Costs no scan: the server keeps these figures. */
export async function readTableSizes(db: Database): Promise<readonly TableSize[]> {
  const { rows } = await sql<TableSize>`
    select c.relname as name, pg_total_relation_size(c.oid) as bytes, greatest(c.reltuples, 0)::float8 as rows,
      coalesce(pg_stat_get_tuples_inserted(c.oid), 0) as inserted
    from pg_class c
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and c.relname = any(${grows})`.execute(
    db,
  )
  return rows
}

const grows: readonly string[] = [
  'archive_chunks',
  'archives',
  'audit_log',
  'blueprints',
  'deployments',
  'events',
  'executions',
  'node_instances',
  'nodes',
  'operations',
]
