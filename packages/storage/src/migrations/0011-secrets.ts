import { type Kysely, sql } from 'kysely'
import { tellGlobalChanges } from './access-changes.ts'

/** Secrets and where else their values may come from. What is sealed is text: see domain/src/encryption. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const ownerColumns = `
  updated_at timestamptz not null default clock_timestamp(),
  visibility text not null default 'tenant',
  created_by text not null,
  created_at timestamptz not null default clock_timestamp()`

const statements = [
  // One row: under which key this database's values are sealed, so that no manager seals under another one.
  `create table encryption (
    is_only boolean primary key default true check (is_only),
    fingerprint text not null
  )`,

  `create table secrets_providers (
    tenant_id int not null references tenants,
    name text not null,
    type text not null,
    connection_parameters text,
    ${ownerColumns},
    primary key (tenant_id, name)
  )`,
  'create index secrets_providers_created on secrets_providers (tenant_id, created_at, name)',
  "create index secrets_providers_global on secrets_providers (name, tenant_id) where visibility = 'global'",

  `create table secrets (
    tenant_id int not null references tenants,
    key text not null,
    value text not null,
    is_hidden_value boolean not null default false,
    schema json,
    provider_tenant_id int,
    provider_name text,
    provider_options json,
    ${ownerColumns},
    primary key (tenant_id, key),
    foreign key (provider_tenant_id, provider_name) references secrets_providers on update cascade
  )`,
  'create index secrets_created on secrets (tenant_id, created_at, key)',
  "create index secrets_global on secrets (key, tenant_id) where visibility = 'global'",
  `create index secrets_provider on secrets (provider_tenant_id, provider_name)
    where provider_name is not null`,
  ...tellGlobalChanges('secrets_providers'),
  ...tellGlobalChanges('secrets'),
]
