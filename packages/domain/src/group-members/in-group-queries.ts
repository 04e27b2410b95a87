import type { ExtraFilter, Scope } from '@tutti/storage'
import { ownedAs, visibleIn } from '@tutti/storage'
import { sql } from 'kysely'

/** The memberships `m` of a deployment in groups that are in the scope: of others not even the name is told. */
export const groupsOf = (table: string, deployment: string, scope: Scope) => sql`
  deployment_group_members m
  join deployment_groups g on g.tenant_id = m.tenant_id and g.id = m.deployment_group_id
  where m.tenant_id = ${sql.ref(`${table}.tenant_id`)} and m.deployment_id = ${sql.ref(`${table}.${deployment}`)}
    and ${visibleIn(ownedAs('g'), scope)}`

/** Filter `deployment_group_id` of what belongs to a deployment: `table` has its tenant and its `deployment`. */
export const inDeploymentGroup =
  (table: string, deployment = 'deployment_id'): ExtraFilter =>
  (groupIds, scope) =>
    sql`exists (select from ${groupsOf(table, deployment, scope)}
      and m.deployment_group_id = any(${groupIds}::text[]))`
