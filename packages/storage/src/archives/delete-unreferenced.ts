import { type Kysely, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'

/**
 * Deletes archives that no row refers to any more, and says how many, and how many bytes that freed.
 *
 * The foreign keys are the reference count: a table that refers to `archives` is respected from the moment
 * its migration has run. Archives that a transaction is storing right now are locked by it and passed over;
 * one that was stored not long ago is left, for whoever refers to it in a transaction of its own.
 */
export async function deleteUnreferencedArchives<Schema>(
  db: Kysely<Schema>,
  { olderThanMs, limit }: { readonly olderThanMs: number; readonly limit: number },
): Promise<{ deleted: number; freedBytes: number }> {
  return await db.transaction().execute(async (transaction) => {
    const unreferenced = await noReference(transaction)
    const { rows: candidates } = await sql<{ sha256: string }>`
      select sha256 from archives
      where created_at <= clock_timestamp() - ${olderThanMs} * interval '1 millisecond' and ${unreferenced}
      limit ${limit} for update skip locked`.execute(transaction)
    // Asked again now that the rows are locked: this statement sees references committed in between.
    const { rows: deleted } = await sql<{ size: string | number }>`
      delete from archives
      where sha256 = any(${candidates.map(({ sha256 }) => sha256)}) and ${unreferenced}
      returning size`.execute(transaction)
    return {
      deleted: deleted.length,
      freedBytes: deleted.reduce((sum, { size }) => sum + Number(size), 0),
    }
  })
}

async function noReference(db: QueryExecutorProvider): Promise<RawBuilder<unknown>> {
  const { rows } = await sql<{ table: string; column: string }>`
    select constraints.conrelid::regclass::text as table, columns.attname as column
    from pg_constraint constraints
    join pg_attribute columns
      on columns.attrelid = constraints.conrelid and columns.attnum = constraints.conkey[1]
    where constraints.contype = 'f' and constraints.confrelid = 'archives'::regclass
      and constraints.conrelid <> 'archive_chunks'::regclass`.execute(db)
  const conditions = rows.map(
    // The table's name comes quoted where needed: that is how regclass prints.
    ({ table, column }) =>
      sql`not exists (select from ${sql.raw(table)} where ${sql.ref(column)} = archives.sha256)`,
  )
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
}
