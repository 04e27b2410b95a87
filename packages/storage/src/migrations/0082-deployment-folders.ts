import { type Kysely, sql } from 'kysely'

/**
 * What operations keep in the folder of their deployment, as whoever ended one last left it; and the name by which
 * folders outside of the database know which database they belong to. Neither is a user's change, so neither is audited.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  'create sequence deployment_folder_versions',
  `create table deployment_folders (
    tenant_id int not null,
    deployment_id text not null,
    sha256 text not null references archives,
    version bigint not null default nextval('deployment_folder_versions'),
    primary key (tenant_id, deployment_id),
    foreign key (tenant_id, deployment_id) references deployments on delete cascade
  )`,
  'create index deployment_folders_archive on deployment_folders (sha256)',
  `create table installation (
    id uuid not null default gen_random_uuid(),
    is_only boolean primary key default true check (is_only)
  )`,
  'insert into installation default values',
]
