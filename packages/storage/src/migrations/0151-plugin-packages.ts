import { type Kysely, sql } from 'kysely'

/**
 * Which packages, in which versions, the plan of a blueprint uses, as `NAME VERSION`: a plugin that is used is not deleted.
 * Of plans that are stored already, it is read from them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table blueprints add column plugin_packages text[] not null default '{}'`.execute(db)
  await sql`
    update blueprints b set plugin_packages = found.packages
    from (
      select b.tenant_id, b.id, array_agg(distinct (p->>'package_name') || ' ' || (p->>'package_version')) as packages
      from blueprints b,
        unnest(array['deployment_plugins_to_install', 'host_agent_plugins_to_install', 'workflow_plugins_to_install'])
          as list (name),
        json_array_elements(case when json_typeof(b.plan->list.name) = 'array' then b.plan->list.name else '[]' end) p
      where p->>'package_name' is not null and p->>'package_version' is not null
      group by b.tenant_id, b.id
    ) found
    where found.tenant_id = b.tenant_id and found.id = b.id`.execute(db)
  await sql`create index blueprints_packages on blueprints using gin (plugin_packages)`.execute(db)
}
