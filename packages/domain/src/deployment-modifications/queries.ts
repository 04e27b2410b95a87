import type { TopologyGroups, TopologyNode } from '@tutti/dsl'
import {
  type Database,
  isActive,
  type ListedResource,
  type OwnedRow,
  ownedAs,
  ownerFields,
  type Transaction,
  timeField,
  toJson,
} from '@tutti/storage'
import { sql } from 'kysely'

/** docs/reference/deployment-modifications.md. Seen by whoever sees the deployment. */
export const modificationResource: ListedResource = {
  model: 'DeploymentModification',
  from: sql`deployment_modifications m left join tenants on tenants.id = m.tenant_id
    join deployments d on d.tenant_id = m.tenant_id and d.id = m.deployment_id`,
  fields: {
    id: { column: sql`m.id` },
    deployment_id: { column: sql`m.deployment_id` },
    status: { column: sql`m.status` },
    modified_nodes: { column: sql`m.modified_nodes` },
    node_instances: { column: sql`m.node_instances` },
    context: { column: sql`m.context` },
    ended_at: timeField(sql`m.ended_at`),
    ...ownerFields('d'),
    created_at: timeField(sql`m.created_at`),
    created_by: { column: sql`m.created_by` },
  },
  search: sql`m.id`,
  ...ownedAs('d'),
  tieBreaker: sql`m.id`,
}

/** The modification with who sees it, which is who sees its deployment: of the tenant, or a global one of another. */
export async function findModification(
  db: Database,
  tenantId: number,
  id: string,
): Promise<(OwnedRow & { readonly deployment_id: string }) | undefined> {
  return db
    .selectFrom('deployment_modifications as m')
    .innerJoin('deployments as d', (join) =>
      join.onRef('d.tenant_id', '=', 'm.tenant_id').onRef('d.id', '=', 'm.deployment_id'),
    )
    .innerJoin('tenants as t', 't.id', 'm.tenant_id')
    .select([
      'm.id',
      'm.deployment_id',
      'm.tenant_id',
      't.name as tenant_name',
      'd.visibility',
      'd.created_by',
    ])
    .where('m.id', '=', id)
    .where((eb) => eb.or([eb('m.tenant_id', '=', tenantId), eb('d.visibility', '=', 'global')]))
    .orderBy(sql`m.tenant_id = ${tenantId}`, 'desc')
    .limit(1)
    .executeTakeFirst()
}

export type ModificationRow = {
  readonly id: string
  readonly deploymentId: string
  readonly status: 'started' | 'finished' | 'rolledback'
  readonly modifiedNodes: Readonly<Record<string, { readonly instances: number }>>
  readonly nodeInstances: NodeInstanceLists
}

/** What is stored and shown as `node_instances`. */
export type NodeInstanceLists = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

const rows = (db: Database, tenantId: number) =>
  db
    .selectFrom('deployment_modifications')
    .select([
      'id',
      'deployment_id as deploymentId',
      'status',
      'modified_nodes as modifiedNodes',
      'node_instances as nodeInstances',
    ])
    .where('tenant_id', '=', tenantId)

/** Under the lock of its deployment. */
export const readModification = async (transaction: Transaction, tenantId: number, id: string) =>
  (await rows(transaction, tenantId).where('id', '=', id).executeTakeFirst()) as ModificationRow | undefined

/** The one of the deployment that has not ended: there is at most one. */
export const findStartedModification = async (db: Database, tenantId: number, deploymentId: string) =>
  (await rows(db, tenantId)
    .where('deployment_id', '=', deploymentId)
    .where('status', '=', 'started')
    .executeTakeFirst()) as ModificationRow | undefined

/** The id of an update that has been applied to the deployment and is still at work, `except` for one. */
export async function findApplying(
  db: Database,
  { tenantId, deploymentId }: { readonly tenantId: number; readonly deploymentId: string },
  except = '',
): Promise<string | undefined> {
  const row = await db
    .selectFrom('deployment_updates as u')
    .innerJoin('executions as e', (join) =>
      join.onRef('e.tenant_id', '=', 'u.tenant_id').onRef('e.id', '=', 'u.execution_id'),
    )
    .select('u.id')
    .where('u.tenant_id', '=', tenantId)
    .where('u.deployment_id', '=', deploymentId)
    .where('u.id', '<>', except)
    .where('u.applied_at', 'is not', null)
    .where('u.state', '=', 'updating')
    .where('e.id', 'in', (eb) =>
      eb
        .selectFrom('executions')
        .select('id')
        .where('tenant_id', '=', tenantId)
        .where('deployment_id', '=', deploymentId)
        .where(isActive),
    )
    .executeTakeFirst()
  return row?.id
}

/** The last one that an action of the execution began. */
export const findModificationOf = async (
  db: Database,
  tenantId: number,
  { deploymentId, executionId }: { readonly deploymentId: string; readonly executionId: string },
) =>
  (await rows(db, tenantId)
    .where('deployment_id', '=', deploymentId)
    .where('execution_id', '=', executionId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()) as ModificationRow | undefined

export async function insertModification(
  transaction: Transaction,
  modification: {
    readonly tenantId: number
    readonly id: string
    readonly deploymentId: string
    readonly executionId: string | null
    readonly modifiedNodes: unknown
    readonly nodeInstances: NodeInstanceLists
    readonly context: unknown
    readonly createdBy: string
  },
): Promise<void> {
  const { context } = modification
  await transaction
    .insertInto('deployment_modifications')
    .values({
      tenant_id: modification.tenantId,
      id: modification.id,
      deployment_id: modification.deploymentId,
      execution_id: modification.executionId,
      modified_nodes: toJson(modification.modifiedNodes),
      node_instances: toJson(modification.nodeInstances),
      context: context == null ? null : toJson(context),
      created_by: modification.createdBy,
    })
    .execute()
}

/** Ended ones that a deployment keeps: each holds all of its instances. */
const keptModifications = 100

export async function deleteOldModifications(
  transaction: Transaction,
  tenantId: number,
  deploymentId: string,
): Promise<void> {
  await sql`
    delete from deployment_modifications where tenant_id = ${tenantId} and id in (
      select id from deployment_modifications
      where tenant_id = ${tenantId} and deployment_id = ${deploymentId} and status <> 'started'
      order by created_at desc, id desc offset ${keptModifications})`.execute(transaction)
}

export async function updateModification(
  transaction: Transaction,
  tenantId: number,
  id: string,
  change: { readonly status: 'finished' | 'rolledback'; readonly nodeInstances?: NodeInstanceLists },
): Promise<void> {
  await transaction
    .updateTable('deployment_modifications')
    .set({
      status: change.status,
      ended_at: sql`clock_timestamp()`,
      ...(change.nodeInstances !== undefined && { node_instances: toJson(change.nodeInstances) }),
    })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

/** Nodes as instances are made from them: of large ones little else is read. */
export async function readTopology(
  db: Database,
  tenantId: number,
  deploymentId: string,
): Promise<readonly TopologyNode[]> {
  const { rows: nodes } = await sql<TopologyNode>`
    select id, type_hierarchy, host_id, (
      select coalesce(json_agg(json_build_object('type', r->'type', 'target_id', r->'target_id',
        'type_hierarchy', r->'type_hierarchy', 'properties', coalesce(r->'properties', '{}'))), '[]')
      from json_array_elements(relationships) r) as relationships
    from nodes where tenant_id = ${tenantId} and deployment_id = ${deploymentId} order by position`.execute(
    db,
  )
  return nodes
}

type StoredGroup = TopologyGroups[string] & { readonly properties?: Readonly<Record<string, unknown>> }

/** How many instances the nodes and scaling groups of a deployment have, and are planned to. */
export type ScalableCounts = {
  readonly nodes: ReadonlyMap<
    string,
    { readonly current: number; readonly planned: number; readonly hostId: string | null }
  >
  readonly scalingGroups: Readonly<Record<string, StoredGroup>>
  readonly groups: TopologyGroups
}

export async function readScalable(
  db: Database,
  tenantId: number,
  deploymentId: string,
): Promise<ScalableCounts> {
  const deployment = await db
    .selectFrom('deployments')
    .select(['scaling_groups', 'groups'])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', deploymentId)
    .executeTakeFirstOrThrow()
  const nodes = await db
    .selectFrom('nodes')
    .select(['id', 'host_id', 'number_of_instances', 'planned_number_of_instances'])
    .where('tenant_id', '=', tenantId)
    .where('deployment_id', '=', deploymentId)
    .execute()
  return {
    nodes: new Map(
      nodes.map((node) => [
        node.id,
        {
          current: node.number_of_instances,
          planned: node.planned_number_of_instances,
          hostId: node.host_id,
        },
      ]),
    ),
    scalingGroups: (deployment.scaling_groups ?? {}) as Record<string, StoredGroup>,
    groups: (deployment.groups ?? {}) as TopologyGroups,
  }
}

export async function setScalingGroups(
  transaction: Transaction,
  tenantId: number,
  deploymentId: string,
  groups: ScalableCounts['scalingGroups'],
): Promise<void> {
  await transaction
    .updateTable('deployments')
    .set({ scaling_groups: toJson(groups) })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', deploymentId)
    .execute()
}

export async function setNodeCount(
  transaction: Transaction,
  { tenantId, deploymentId }: { readonly tenantId: number; readonly deploymentId: string },
  node: string,
  column: 'number_of_instances' | 'planned_number_of_instances',
  count: number,
): Promise<void> {
  await transaction
    .updateTable('nodes')
    .set({ [column]: count })
    .where('tenant_id', '=', tenantId)
    .where('deployment_id', '=', deploymentId)
    .where('id', '=', node)
    .execute()
}
