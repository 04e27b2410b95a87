import type { Database, Transaction } from '@tutti/storage'
import { sql } from 'kysely'
import type { Sealed } from './key-ring.ts'

/** Every column that holds something sealed, with the key of its table. */
const sealedColumns = [
  ofTenant('secrets', 'key', 'value'),
  ofTenant('secrets_providers', 'name', 'connection_parameters'),
  ofTenant('agents', 'id', 'rabbitmq_password'),
  // One row, of no tenant.
  { table: 'ldap', tenantId: sql`0`, id: sql`'ldap'`, column: 'sealed_password' },
]

function ofTenant(table: string, id: string, column: string) {
  return { table, tenantId: sql.ref(`${table}.tenant_id`), id: sql.ref(`${table}.${id}`), column }
}

/** One process at a time decides about keys, until the transaction ends. */
export async function lockKeys(transaction: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('tutti.encryption'))`.execute(transaction)
}

/** Of the key under which this database's secrets are sealed. */
export async function readFingerprint(db: Database): Promise<string | undefined> {
  const row = await db.selectFrom('encryption').select('fingerprint').executeTakeFirst()
  return row?.fingerprint
}

export async function writeFingerprint(db: Database, fingerprint: string): Promise<void> {
  await sql`
    insert into encryption (fingerprint) values (${fingerprint})
    on conflict (is_only) do update set fingerprint = excluded.fingerprint`.execute(db)
}

export async function anythingSealed(db: Database): Promise<boolean> {
  for (const { table, column } of sealedColumns) {
    const { rows } =
      await sql`select from ${sql.table(table)} where ${sql.ref(column)} is not null limit 1`.execute(db)
    if (rows.length > 0) return true
  }
  return false
}

const batchRows = 500

/**
 * Seals some values again that are not under the key of this fingerprint; 0 when there are none left. Rows stay locked
 * until the transaction ends, so that nobody's change in between gets lost.
 */
export async function resealSome(
  transaction: Transaction,
  fingerprint: string,
  reseal: (sealed: Sealed) => Sealed,
): Promise<number> {
  for (const { table, tenantId, id, column } of sealedColumns) {
    const { rows } = await sql<{ tenant_id: number; id: string; sealed: Sealed }>`
      select ${tenantId} as tenant_id, ${id} as id, ${sql.ref(column)} as sealed from ${sql.table(table)}
      where not starts_with(${sql.ref(column)}, ${`${fingerprint}:`})
      order by 1, 2 limit ${batchRows} for update`.execute(transaction)
    if (rows.length === 0) continue
    await sql`
      update ${sql.table(table)} set ${sql.ref(column)} = new.sealed
      from unnest(${rows.map((row) => row.tenant_id)}::int[], ${rows.map((row) => row.id)}::text[],
        ${rows.map((row) => reseal(row.sealed))}::text[]) as new (tenant_id, id, sealed)
      where ${tenantId} = new.tenant_id and ${id} = new.id`.execute(transaction)
    return rows.length
  }
  return 0
}
