import {
  type Database,
  type OwnedRow,
  ownedResource,
  type Scope,
  secretTable,
  timeField,
  toJson,
  unawaited,
  type Visibility,
} from '@tutti/storage'
import { sql } from 'kysely'
import type { Sealed } from '../encryption/index.ts'

/** docs/reference/secrets.md, "Fields"; the value comes out sealed. */
export const secretResource = ownedResource(secretTable, {
  value: { column: sql`x.value` },
  is_hidden_value: { column: sql`x.is_hidden_value` },
  schema: { column: sql`x.schema` },
  provider_name: { column: sql`x.provider_name` },
  provider_options: { column: sql`x.provider_options` },
  updated_at: timeField(sql`x.updated_at`),
})

/** What the rules of changes look at beside the owner. */
export type SecretState = {
  readonly value: Sealed
  readonly is_hidden_value: boolean
  readonly schema: Readonly<Record<string, unknown>> | null
  readonly provider_tenant_id: number | null
  readonly provider_name: string | null
  readonly provider_options: unknown
}

export const stateColumns = [
  'value',
  'is_hidden_value',
  'schema',
  'provider_tenant_id',
  'provider_name',
  'provider_options',
] as const

export type ProviderLink = { readonly tenantId: number; readonly name: string }

export type SecretChange = {
  readonly value?: Sealed
  readonly visibility?: Visibility
  readonly is_hidden_value?: boolean
  readonly created_by?: string
  readonly provider?: ProviderLink
  readonly provider_options?: unknown
}

export type NewSecret = SecretChange & {
  readonly tenant_id: number
  readonly key: string
  readonly value: Sealed
  readonly created_by: string
  readonly created_at?: Date
  readonly updated_at?: Date
  readonly schema?: SecretState['schema']
}

function columnsOf<Change extends SecretChange>({ provider, provider_options: options, ...rest }: Change) {
  return {
    ...rest,
    ...(provider !== undefined && { provider_tenant_id: provider.tenantId, provider_name: provider.name }),
    ...(options !== undefined && { provider_options: options === null ? null : toJson(options) }),
  }
}

export async function insertSecret(db: Database, { schema, ...secret }: NewSecret): Promise<void> {
  const values = { ...columnsOf(secret), schema: schema == null ? null : toJson(schema) }
  await db.insertInto('secrets').values(values).execute()
}

export async function updateSecret(
  db: Database,
  { tenant_id, id }: Pick<OwnedRow, 'tenant_id' | 'id'>,
  change: SecretChange,
): Promise<void> {
  await db
    .updateTable('secrets')
    .set({ ...columnsOf(change), updated_at: sql`clock_timestamp()` })
    .where('tenant_id', '=', tenant_id)
    .where('key', '=', id)
    .modifyEnd(unawaited)
    .execute()
}

export async function findProvider(db: Database, { tenantId, name }: ProviderLink) {
  return db
    .selectFrom('secrets_providers')
    .select(['name', 'type', 'connection_parameters'])
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .executeTakeFirst()
}

/** What it takes to come to the value of a secret. */
export type KeptValue = Pick<
  SecretState,
  'value' | 'provider_tenant_id' | 'provider_name' | 'provider_options'
>

/** The secret of that key that the scope shows; its own tenants' before a global one. */
export async function findSecretOf(db: Database, scope: Scope, key: string) {
  const { rows } = await sql<
    KeptValue & Pick<OwnedRow, 'tenant_id' | 'id' | 'created_by'> & Pick<SecretState, 'is_hidden_value'>
  >`
    select x.tenant_id, x.key as id, x.created_by, x.is_hidden_value, x.value, x.provider_tenant_id, x.provider_name,
      x.provider_options
    from secrets x
    where x.key = ${key} and (
      (x.tenant_id = any(${[...scope.tenantIds]}::int[]) and (
        x.visibility <> 'private' or x.created_by = ${scope.username}
        or x.tenant_id = any(${[...scope.administeredTenantIds]}::int[])))
      or x.visibility = 'global')
    order by x.tenant_id = any(${[...scope.tenantIds]}::int[]) desc
    limit 1`.execute(db)
  return rows[0]
}

export async function tenantsNamed(db: Database, names: readonly string[]) {
  return db
    .selectFrom('tenants')
    .select(['id', 'name'])
    .where(sql<boolean>`name = any(${[...names]}::text[])`)
    .execute()
}
