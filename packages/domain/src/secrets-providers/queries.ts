import {
  type Database,
  ownedResource,
  providerTable,
  type Scope,
  timeField,
  type Users,
  usersOf,
  type Visibility,
} from '@tutti/storage'
import { sql } from 'kysely'
import type { Sealed } from '../encryption/index.ts'

/** docs/reference/secrets.md, "Secrets providers"; the connection parameters come out sealed. */
export const providerResource = ownedResource(providerTable, {
  id: { column: sql`x.name` },
  type: { column: sql`x.type` },
  connection_parameters: { column: sql`x.connection_parameters` },
  updated_at: timeField(sql`x.updated_at`),
})

export async function insertProvider(
  db: Database,
  provider: {
    readonly tenant_id: number
    readonly name: string
    readonly type: string
    readonly connection_parameters: Sealed | null
    readonly visibility: Visibility
    readonly created_by: string
    readonly created_at?: Date
  },
): Promise<void> {
  await db.insertInto('secrets_providers').values(provider).execute()
}

export async function updateProvider(
  db: Database,
  tenantId: number,
  name: string,
  change: {
    readonly type?: string
    readonly connection_parameters?: Sealed | null
    readonly visibility?: Visibility
  },
): Promise<void> {
  await db
    .updateTable('secrets_providers')
    .set({ ...change, updated_at: sql`clock_timestamp()` })
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .execute()
}

/** Secrets that are kept by the provider, in any tenant. */
export const secretsOf = (db: Database, scope: Scope, tenantId: number, name: string): Promise<Users> =>
  usersOf(db, scope, 'secrets', sql`x.provider_tenant_id = ${tenantId} and x.provider_name = ${name}`)
