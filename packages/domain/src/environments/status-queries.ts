import type { ListedField } from '@tutti/storage'
import { type RawBuilder, sql } from 'kysely'

/**
 * `deployments.deployment_status` is how the deployment itself is. What is shown is the worst of it and of everything
 * below (docs/reference/environments-and-dependencies.md, "Counts and statuses below").
 */
export const statusRank = (alias: string) => sql`case ${sql.ref(`${alias}.deployment_status`)}
  when 'good' then 1 when 'in_progress' then 2 else 3 end`

/** Joins the sums of a deployment's environment, where it is one. */
export const joinEnvironment = (deployment: string, environment: string) => sql`left join environments
  ${sql.ref(environment)} on ${sql.ref(`${environment}.tenant_id`)} = ${sql.ref(`${deployment}.tenant_id`)}
  and ${sql.ref(`${environment}.id`)} = ${sql.ref(`${deployment}.id`)}`

/** The status of a deployment together with what is below it. */
export function wholeStatus(deployment: string, environment: string): RawBuilder<unknown> {
  const own = sql.ref(`${deployment}.deployment_status`)
  const has = (column: string) => sql`${sql.ref(`${environment}.${column}`)} > 0`
  return sql`case
    when ${own} = 'requires_attention' or ${has('services_requiring_attention')}
      or ${has('environments_requiring_attention')} then 'requires_attention'
    when ${own} = 'in_progress' or ${has('services_in_progress')} or ${has('environments_in_progress')}
      then 'in_progress'
    else 'good' end`
}

type Below =
  | 'sub_services_status'
  | 'sub_environments_status'
  | 'sub_services_count'
  | 'sub_environments_count'
type BelowFields = Readonly<Record<Below, ListedField>>

/** Counts and worst statuses over everything below, by all paths, from the sums that are kept. */
export function fieldsBelow(environment: string): BelowFields {
  const column = (name: string) => sql.ref(`${environment}.${name}`)
  const count = (kind: string): ListedField => ({
    column: sql`least(coalesce(${column(kind)}, 0), 2147483647)::int`,
  })
  const worst = (kind: string): ListedField => ({
    column: sql`case when ${column(`${kind}_requiring_attention`)} > 0 then 'requires_attention'
      when ${column(`${kind}_in_progress`)} > 0 then 'in_progress' when ${column(kind)} > 0 then 'good' end`,
  })
  return {
    sub_services_count: count('services'),
    sub_services_status: worst('services'),
    sub_environments_count: count('environments'),
    sub_environments_status: worst('environments'),
  }
}

/** The same over the direct children only, counted now. */
export function fieldsOfChildren(deployment: string): BelowFields {
  const over = (isEnvironment: boolean, value: RawBuilder<unknown>): ListedField => ({
    column: sql`(select ${value}
      from deployment_labels p
      join deployments c on c.tenant_id = p.tenant_id and c.id = p.deployment_id
      ${joinEnvironment('c', 'ce')}
      where p.tenant_id = ${sql.ref(`${deployment}.tenant_id`)} and p.key = 'csys-obj-parent'
        and p.value = ${sql.ref(`${deployment}.id`)}
        and ${sql.lit(isEnvironment)} = exists (select from deployment_labels t where t.tenant_id = c.tenant_id
          and t.deployment_id = c.id and t.key = 'csys-obj-type' and t.value = 'environment'))`,
  })
  const count = sql`count(*)`
  // Their names happen to be in the order of their ranks.
  const worst = sql`max(${wholeStatus('c', 'ce')} collate "C")`
  return {
    sub_services_count: over(false, count),
    sub_services_status: over(false, worst),
    sub_environments_count: over(true, count),
    sub_environments_status: over(true, worst),
  }
}
