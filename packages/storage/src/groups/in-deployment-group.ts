import { type RawBuilder, sql } from 'kysely'

/** Filter `deployment_group_id` of what belongs to a deployment: `table` has its tenant and its `deployment`. */
export const inDeploymentGroup =
  (table: string, deployment = 'deployment_id') =>
  (groupIds: readonly unknown[]): RawBuilder<boolean> =>
    sql<boolean>`exists (
    select from deployment_group_members m
    where m.tenant_id = ${sql.ref(`${table}.tenant_id`)} and m.deployment_id = ${sql.ref(`${table}.${deployment}`)}
      and m.deployment_group_id = any(${groupIds}::text[]))`
