import { type Kysely, sql } from 'kysely'
import { auditTable } from '../audit/audit-table.ts'
import { tellAccessChanges } from './access-changes.ts'

/** How users log in through a directory (docs/ldap.md): at most one row; without it, they do not. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
  await auditTable(db, 'ldap', { identifier: { server: `r.settings->>'ldap_server'` } })
}

const statements = [
  // `settings` holds the ldap_* values as they were given, but for the password, which is never in clear.
  `create table ldap (
    is_only boolean primary key default true check (is_only),
    settings json not null,
    sealed_password text,
    updated_at timestamptz not null default clock_timestamp()
  )`,
  tellAccessChanges('ldap'),
]
