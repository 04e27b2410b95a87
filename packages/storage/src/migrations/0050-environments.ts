import { type Kysely, sql } from 'kysely'

/**
 * What an environment is made of: how many services and environments are below it, and how they are
 * (docs/reference/environments-and-dependencies.md, "Counts and statuses below"). The tables are written by
 * `settleEnvironments` alone, and nothing refers to them: so whoever changes a deployment waits for no counter, and
 * no counter for a deployment.
 *
 * - `environment_changes`: deployments whose part in their environments is to be looked at again, noted by triggers in
 *   the transaction that changes it.
 * - `environment_members`: what each deployment adds to each of its parents, as last counted.
 * - `environments`: the sums over the members. Of members by status, only those that are not good are counted.
 *
 * Ranks: 0 none, 1 good, 2 in_progress, 3 requires_attention. Counts go by paths, so parents that share children can
 * make them larger than any integer type.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table environment_changes (
    id bigint generated always as identity primary key,
    tenant_id int not null,
    deployment_id text not null
  )`,
  `create table environment_members (
    tenant_id int not null,
    environment_id text not null,
    member_id text not null,
    services numeric not null,
    environments numeric not null,
    services_rank smallint not null,
    environments_rank smallint not null,
    primary key (tenant_id, environment_id, member_id)
  ) with (fillfactor = 70)`,
  'create index environment_members_member on environment_members (tenant_id, member_id)',
  `create table environments (
    tenant_id int not null,
    id text not null,
    services numeric not null,
    environments numeric not null,
    services_in_progress numeric not null,
    services_requiring_attention numeric not null,
    environments_in_progress numeric not null,
    environments_requiring_attention numeric not null,
    primary key (tenant_id, id)
  ) with (fillfactor = 50)`,
  `alter table deployments drop column sub_services_status, drop column sub_environments_status,
    drop column sub_services_count, drop column sub_environments_count`,

  `create function tutti_labels_changed() returns trigger language plpgsql as $$
    declare changed deployment_labels;
    begin
      changed := case tg_op when 'DELETE' then old else new end;
      insert into environment_changes (tenant_id, deployment_id) values (changed.tenant_id, changed.deployment_id);
      return null;
    end $$`,
  ...[
    ['insert', 'new'],
    ['delete', 'old'],
  ].map(
    ([event, row]) =>
      `create trigger tell_environment_${event} after ${event} on deployment_labels for each row
        when (${row}.key in ('csys-obj-parent', 'csys-obj-type')) execute function tutti_labels_changed()`,
  ),
  // Whoever changes labels holds the deployment's row too, so a parent that is just being added is not missed.
  `create function tutti_status_changed() returns trigger language plpgsql as $$
    begin
      insert into environment_changes (tenant_id, deployment_id)
      select new.tenant_id, new.id where exists (
        select from deployment_labels l
        where l.tenant_id = new.tenant_id and l.deployment_id = new.id and l.key = 'csys-obj-parent');
      return null;
    end $$`,
  `create trigger tell_environment_status after update of deployment_status on deployments for each row
    when (old.deployment_status is distinct from new.deployment_status) execute function tutti_status_changed()`,
  `insert into environment_changes (tenant_id, deployment_id)
    select distinct tenant_id, deployment_id from deployment_labels where key = 'csys-obj-parent'`,
]
