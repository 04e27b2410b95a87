import type { Database, Scope } from '@tutti/storage'
import { isActive, ownedAs, visibleIn } from '@tutti/storage'
import { type RawBuilder, sql } from 'kysely'

export type Dependent = {
  readonly target: string
  readonly source: string
  readonly creator: string
  /** Whether who asks may be told which one it is, and whether everybody in the tenant may. */
  readonly isSeen: boolean
  readonly isPrivate: boolean
}

/** Workflows that may not pull a deployment from under those that depend on it. */
export const workflowsThatStop: ReadonlySet<string> = new Set(['stop', 'uninstall', 'update', 'heal'])

/**
 * Installations that need one of these: children by label and dependencies. A dependency whose source is itself being
 * stopped counts for nothing, as then it is the source that stops its components
 * (docs/reference/environments-and-dependencies.md, "Dependents").
 */
export async function findDependents(
  db: Database,
  tenantId: number,
  ids: readonly string[],
  options: {
    /** What is to be done with the deployment. */
    readonly by: string
    /** Its children are to go the same way. */
    readonly recursive: boolean
    /** A deployment that goes the same way with all in it: neither it nor they count. */
    readonly within?: string
    /** All of them go: they do not keep each other. */
    readonly together?: boolean
    /** Who asks; the tenant when left out. */
    readonly scope?: Scope
  },
): Promise<readonly Dependent[]> {
  const isDeletion = options.by === 'delete_deployment_environment'
  const isOutside = (source: RawBuilder<unknown>) =>
    options.within === undefined
      ? sql`true`
      : sql`(${source} <> ${options.within} and not exists (select from deployment_labels w
          where w.tenant_id = ${tenantId} and w.deployment_id = ${source} and w.key = 'csys-obj-parent'
            and w.value = ${options.within}))`
  const these = sql`any(${[...ids]}::text[])`
  const isOther = (source: RawBuilder<unknown>) =>
    options.together === true ? sql`not ${source} = ${these}` : sql`true`
  const { rows } = await sql<Dependent>`
    select found.target, found.source, found.creator, d.visibility = 'private' as "isPrivate",
      ${options.scope === undefined ? sql`d.visibility <> 'private'` : visibleIn(ownedAs('d'), options.scope)} as "isSeen"
    from (
    select p.target_deployment_id as target, source_deployment_id as source, dependency_creator as creator, p.created_at
    from inter_deployment_dependencies p
    join deployments s on s.tenant_id = p.tenant_id and s.id = p.source_deployment_id
    where p.tenant_id = ${tenantId} and p.target_deployment_id = ${these}
      and ${isOther(sql`p.source_deployment_id`)} and ${isOutside(sql`p.source_deployment_id`)}
      and not (${options.by === 'uninstall'} and p.dependency_creator like '%.get_capability'
        and s.installation_status is distinct from 'active')
      and not exists (select from executions e where e.tenant_id = p.tenant_id
        and e.deployment_id = p.source_deployment_id and ${isActive}
        and e.workflow_id = any(${[...workflowsThatStop]}::text[]))
    union all
    select l.value, l.deployment_id, 'csys-obj-parent', l.created_at from deployment_labels l
    where ${!options.recursive} and l.tenant_id = ${tenantId} and l.key = 'csys-obj-parent' and l.value = ${these}
      and ${isOther(sql`l.deployment_id`)}
      and (${isDeletion} or not exists (select from inter_deployment_dependencies c
        where c.tenant_id = l.tenant_id and c.source_deployment_id = l.value
          and c.target_deployment_id = l.deployment_id and c.dependency_creator like 'component.%'))
    ) found join deployments d on d.tenant_id = ${tenantId} and d.id = found.source
    order by found.created_at, found.source, found.creator`.execute(db)
  return rows
}

/** As refusals list them: ``[1] Deployment `app` contains the current deployment in its node `vm` ``. */
export function dependentLines(dependents: readonly Dependent[]): string {
  return dependents.map((dependent, index) => `  [${index + 1}] ${describe(dependent)}`).join('\n')
}

/** The same for what is kept where everybody in the tenant may read it. */
export const publicDependentLines = (dependents: readonly Dependent[]): string =>
  dependentLines(dependents.map((dependent) => ({ ...dependent, isSeen: !dependent.isPrivate })))

function describe({ source, creator, isSeen }: Dependent): string {
  const [kind, node] = creator.split('.')
  const how =
    kind === 'component'
      ? 'contains'
      : kind === 'sharedresource'
        ? 'uses a shared resource from'
        : kind === 'csys-obj-parent'
          ? 'is contained in'
          : 'uses capabilities of'
  if (!isSeen) return `A private deployment ${how} the current deployment`
  const where = node === undefined ? '' : ` in its node \`${node}\``
  return `Deployment \`${source}\` ${how} the current deployment${where}`
}
