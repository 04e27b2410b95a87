import { deploymentDigest, readPlanForUpdate, type UpdateRow } from '@tutti/domain/deployment-updates'
import type { PlanWorkflow, StoredDeployment } from '@tutti/dsl'
import type { ModelNodeInstance } from '@tutti/engine'
import { type Database, inParts } from '@tutti/storage'
import { sql } from 'kysely'
import { newSeen, type Seen } from '../executions/model-queries.ts'
import type { UpdateToPlan } from '../planning/update.ts'

/** Some megabytes of text, of which all but a few are what other nodes have as well. */
const nodesOfPart = 200

/** What an update is computed from, all of it as it was at one moment; undefined when its blueprint is gone. */
export async function readForUpdate(db: Database, update: UpdateRow) {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      const { tenantId, deploymentId } = update
      const planOf = await deploymentDigest(transaction, tenantId, deploymentId)
      const blueprint = await readPlanForUpdate(transaction, update)
      if (blueprint === undefined) return undefined
      const deployment = await transaction
        .selectFrom('deployments')
        .select([
          'description',
          'outputs',
          'workflows',
          'groups',
          'scaling_groups',
          'blueprint_id',
          'blueprint_tenant_id',
        ])
        .where('tenant_id', '=', tenantId)
        .where('id', '=', deploymentId)
        .executeTakeFirstOrThrow()
      const labels = await transaction
        .selectFrom('deployment_labels')
        .select(['key', 'value'])
        .where('tenant_id', '=', tenantId)
        .where('deployment_id', '=', deploymentId)
        .execute()
      const stored: UpdateToPlan['stored'] = {
        description: deployment.description,
        outputs: (deployment.outputs ?? {}) as StoredDeployment['outputs'],
        workflows: (deployment.workflows ?? {}) as Readonly<Record<string, PlanWorkflow>>,
        groups: (deployment.groups ?? {}) as StoredDeployment['groups'],
        scaling_groups: (deployment.scaling_groups ?? {}) as StoredDeployment['scaling_groups'],
        nodes: await readNodes(transaction, update),
        instances: await readInstances(transaction, update),
        labels,
      }
      const changesBlueprint =
        deployment.blueprint_id !== update.blueprintId ||
        deployment.blueprint_tenant_id !== update.blueprintTenantId
      return { planOf, stored, changesBlueprint, ...blueprint }
    })
}

type StoredNode = StoredDeployment['nodes'][number]
type Documents = 'properties' | 'operations' | 'plugins' | 'plugins_to_install' | 'relationships'
type NodeRow = Omit<StoredNode, Documents> & { readonly [name in Documents]: string | null }

/** What nodes have in common is one object. */
async function readNodes(
  db: Database,
  { tenantId, deploymentId }: UpdateRow,
): Promise<readonly StoredNode[]> {
  const ids = await db
    .selectFrom('nodes')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('deployment_id', '=', deploymentId)
    .orderBy('position')
    .execute()
  const seen = newSeen()
  const nodes: StoredNode[] = []
  for (const part of inParts(ids, nodesOfPart)) {
    const { rows } = await sql<NodeRow>`
      select id, type, number_of_instances, planned_number_of_instances, deploy_number_of_instances,
        min_number_of_instances, max_number_of_instances, properties::text as properties,
        operations::text as operations, plugins::text as plugins, plugins_to_install::text as plugins_to_install,
        relationships::text as relationships
      from nodes
      where tenant_id = ${tenantId} and deployment_id = ${deploymentId}
        and id = any(${part.map(({ id }) => id)}::text[])
      order by position`.execute(db)
    for (const row of rows) nodes.push(storedNode(row, seen))
  }
  return nodes
}

function storedNode(row: NodeRow, seen: Seen): StoredNode {
  const parsed = <Name extends Documents>(name: Name) => seen.parsed(row[name] ?? 'null') as StoredNode[Name]
  return {
    ...row,
    properties: parsed('properties'),
    operations: parsed('operations'),
    plugins: parsed('plugins'),
    plugins_to_install: parsed('plugins_to_install') ?? null,
    relationships: parsed('relationships'),
  }
}

async function readInstances(
  db: Database,
  { tenantId, deploymentId }: UpdateRow,
): Promise<readonly ModelNodeInstance[]> {
  const rows = await db
    .selectFrom('node_instances')
    .select([
      'id',
      'node_id',
      'host_id',
      'state',
      'instance_index as index',
      'relationships',
      'scaling_groups',
    ])
    .select(sql<unknown>`json_build_object('status', system_properties->'status')`.as('system_properties'))
    .where('tenant_id', '=', tenantId)
    .where('deployment_id', '=', deploymentId)
    .orderBy('node_id')
    .orderBy('instance_index')
    .execute()
  return rows.map((row) => ({ ...row, runtime_properties: {} })) as unknown as readonly ModelNodeInstance[]
}
