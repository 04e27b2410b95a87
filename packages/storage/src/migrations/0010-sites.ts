import { type Kysely, sql } from 'kysely'
import { tellGlobalChanges } from './access-changes.ts'

/**
 * Sites, and the link of a deployment to its site: the name alone could not say of which tenant a global site is. The
 * foreign key makes a renamed site keep its deployments, and a deleted one let go of them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table sites (
      tenant_id int not null references tenants,
      name text not null,
      latitude double precision,
      longitude double precision,
      visibility text not null default 'tenant',
      created_by text not null,
      created_at timestamptz not null default clock_timestamp(),
      primary key (tenant_id, name)
    )`.execute(db)
  await sql`create index sites_created on sites (tenant_id, created_at, name)`.execute(db)
  await sql`create index sites_global on sites (name, tenant_id) where visibility = 'global'`.execute(db)
  await sql`
    alter table deployments
      add column site_tenant_id int,
      add foreign key (site_tenant_id, site_name) references sites on update cascade on delete set null`.execute(
    db,
  )
  await sql`
    create index deployments_site on deployments (site_tenant_id, site_name)
    where site_name is not null`.execute(db)
  for (const statement of tellGlobalChanges('sites')) await sql.raw(statement).execute(db)
}
