import { ApiError } from '@tutti/api'
import type { Visibility } from '@tutti/storage'
import { type Database, type Transaction, toJson } from '@tutti/storage'
import { sql } from 'kysely'
import { holdTargetsOrAwait } from './awaited-queries.ts'
import { setConsumerLabels } from './consumers-queries.ts'
import { findCircle } from './edges-queries.ts'

/** One thing that a deployment depends on (docs/reference/environments-and-dependencies.md, "Dependencies"). */
export type NewDependency = {
  readonly id: string
  readonly creator: string
  /** null: not known yet, or in another manager. One that is not there is linked when it comes. */
  readonly target: string | null
  /** {function, context}, or the function alone */
  readonly targetFunction: unknown
  readonly externalSource: unknown
  readonly externalTarget: unknown
  readonly visibility: Visibility
  readonly createdBy: string
  readonly createdAt?: Date | undefined
}

type Source = { readonly tenantId: number; readonly id: string }

/**
 * Stores what the deployment depends on, besides what is stored already. The caller holds its row.
 *
 * @throws conflict_error for a circle
 */
export async function addDependencies(
  transaction: Transaction,
  source: Source,
  dependencies: readonly NewDependency[],
  username: string,
): Promise<void> {
  const named = dependencies.flatMap(({ target }) => (target === null ? [] : [target]))
  // First, so that no circle tells of a deployment which the user does not see.
  const found = await holdTargetsOrAwait(transaction, source.tenantId, username, named)
  await checkTargets(transaction, source, [...found])
  await insertDependencies(transaction, source.tenantId, source.id, dependencies, found)
  await setConsumerLabels(transaction, source.tenantId, source.id, username)
}

/** @throws conflict_error */
export async function checkTargets(
  transaction: Transaction,
  { tenantId, id }: Source,
  targets: readonly string[],
): Promise<void> {
  const circle = await findCircle(transaction, 'dependencies', tenantId, id, targets)
  if (circle === undefined) return
  throw new ApiError('conflict_error', `cyclic dependency between deployments ${id} and ${circle}`)
}

/** `sourceId` null: the source is in another manager. Targets that are not among the `found` ones are awaited. */
export async function insertDependencies(
  transaction: Transaction,
  tenantId: number,
  sourceId: string | null,
  dependencies: readonly NewDependency[],
  found: ReadonlySet<string>,
): Promise<void> {
  if (dependencies.length === 0) return
  const targetIf = (isThere: boolean) =>
    dependencies.map(({ target }) => (target !== null && found.has(target) === isThere ? target : null))
  const json = (value: unknown) => (value == null ? null : toJson(value))
  const column = <T>(read: (dependency: NewDependency) => T) => dependencies.map(read)
  await sql`
    insert into inter_deployment_dependencies (tenant_id, source_deployment_id, id, dependency_creator,
      target_deployment_id, awaited_target_id, target_deployment_func, external_source, external_target, visibility, created_by, created_at)
    select ${tenantId}, ${sourceId}, n.id, creator, target, awaited, func, ext_source, ext_target, visibility,
      created_by,      coalesce(created_at, clock_timestamp())
    from unnest(
      ${column((one) => one.id)}::text[],
      ${column((one) => one.creator)}::text[],
      ${targetIf(true)}::text[],
      ${targetIf(false)}::text[],
      ${column((one) => json(one.targetFunction))}::json[],
      ${column((one) => json(one.externalSource))}::json[],
      ${column((one) => json(one.externalTarget))}::json[],
      ${column((one) => one.visibility)}::text[],
      ${column((one) => one.createdBy)}::text[],
      ${column((one) => one.createdAt ?? null)}::timestamptz[]
    ) as n (id, creator, target, awaited, func, ext_source, ext_target, visibility, created_by, created_at)`.execute(
    transaction,
  )
}

/** Forgets what the deployment depends on; the labels that say so are for `addDependencies` to set afterwards. */
export async function removeDependencies(transaction: Transaction, source: Source): Promise<void> {
  await transaction
    .deleteFrom('inter_deployment_dependencies')
    .where('tenant_id', '=', source.tenantId)
    .where('source_deployment_id', '=', source.id)
    .execute()
}

export type OpenTarget = {
  readonly id: string
  readonly creator: string
  readonly target: string | null
  readonly func: unknown
}

/** Dependencies of the deployment whose targets are functions. */
export async function listTargetFunctions(
  db: Database,
  { tenantId, id }: Source,
): Promise<readonly OpenTarget[]> {
  return db
    .selectFrom('inter_deployment_dependencies')
    .select([
      'id',
      'dependency_creator as creator',
      'target_deployment_id as target',
      'target_deployment_func as func',
    ])
    .where('tenant_id', '=', tenantId)
    .where('source_deployment_id', '=', id)
    .where('target_deployment_func', 'is not', null)
    .orderBy('id')
    .execute()
}

/**
 * Stores what the functions come to; what one of them names that is not there is linked when it comes. The caller holds
 * the row.
 *
 * @throws conflict_error for a circle
 */
export async function setTargets(
  transaction: Transaction,
  source: Source,
  targets: ReadonlyMap<string, string | null>,
  username: string,
): Promise<void> {
  const named = [...targets.values()].filter((target) => target !== null)
  const found = await holdTargetsOrAwait(transaction, source.tenantId, username, named)
  await checkTargets(transaction, source, [...found])
  await sql`
    update inter_deployment_dependencies p set target_deployment_id = n.target, awaited_target_id = n.awaited
    from (
      select id, case when name = any(${[...found]}::text[]) then name end, case when name <> all(${[...found]}::text[]) then name end
      from unnest(${[...targets.keys()]}::text[], ${[...targets.values()]}::text[]) as t (id, name)
    ) as n (id, target, awaited)
    where p.tenant_id = ${source.tenantId} and p.source_deployment_id = ${source.id} and p.id = n.id
      and (p.target_deployment_id, p.awaited_target_id) is distinct from (n.target, n.awaited)`.execute(
    transaction,
  )
  await setConsumerLabels(transaction, source.tenantId, source.id, username)
}
