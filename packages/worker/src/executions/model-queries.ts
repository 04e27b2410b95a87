import { findStartedModification } from '@tutti/domain/deployment-modifications'
import type { DeploymentModel, ModelNode, ModelNodeInstance } from '@tutti/engine'
import { type Database, inParts } from '@tutti/storage'
import { sql } from 'kysely'

/** Some megabytes of text, of which all but a few are what other nodes have as well. */
const nodesOfPart = 200

type Document = 'type_hierarchy' | 'properties' | 'operations' | 'relationships' | 'plugins'
type NodeRow = { readonly [name in Document]: string } & {
  readonly id: string
  readonly type: string
  readonly host_id: string | null
}

/**
 * The deployment as the graph builders see it, in a stable order. Nodes come a few at a time, and what they have in
 * common is one object: the operations of 20,000 nodes fill a gigabyte otherwise.
 */
export async function loadModel(
  db: Database,
  tenantId: number,
  deploymentId: string,
): Promise<Omit<DeploymentModel, 'settings'>> {
  const nodes: ModelNode[] = []
  const seen = newSeen()
  const ids = await db
    .selectFrom('nodes')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('deployment_id', '=', deploymentId)
    .orderBy('position')
    .execute()
  for (const part of inParts(ids, nodesOfPart)) {
    const rows = await readNodes(
      db,
      tenantId,
      deploymentId,
      part.map(({ id }) => id),
    )
    for (const row of rows) nodes.push(modelNode(row, seen))
  }
  const nodeInstances = await db
    .selectFrom('node_instances')
    .select([
      'id',
      'node_id',
      'host_id',
      'state',
      'instance_index as index',
      'relationships',
      'scaling_groups',
      'runtime_properties',
      'system_properties',
    ])
    .where('tenant_id', '=', tenantId)
    .where('deployment_id', '=', deploymentId)
    .orderBy('node_id')
    .orderBy('instance_index')
    .execute()
  const modification = await startedModification(db, tenantId, deploymentId)
  return {
    nodes,
    nodeInstances: nodeInstances as unknown as ModelNodeInstance[],
    ...(modification !== undefined && { modification }),
  }
}

async function startedModification(
  db: Database,
  tenantId: number,
  deploymentId: string,
): Promise<DeploymentModel['modification']> {
  const started = await findStartedModification(db, tenantId, deploymentId)
  if (started === undefined) return undefined
  const marked = (list: string, mark: string) =>
    new Set(
      (started.nodeInstances[list] ?? []).flatMap(({ id, modification }) =>
        modification === mark ? [String(id)] : [],
      ),
    )
  return { added: marked('added_and_related', 'added'), removed: marked('removed_and_related', 'removed') }
}

async function readNodes(
  db: Database,
  tenantId: number,
  deploymentId: string,
  ids: readonly string[],
): Promise<readonly NodeRow[]> {
  const { rows } = await sql<NodeRow>`
    select id, type, host_id, type_hierarchy::text as type_hierarchy, properties::text as properties,
      operations::text as operations, relationships::text as relationships, plugins::text as plugins
    from nodes
    where tenant_id = ${tenantId} and deployment_id = ${deploymentId} and id = any(${[...ids]}::text[])
    order by position`.execute(db)
  return rows
}

function modelNode(row: NodeRow, seen: Seen): ModelNode {
  const { id, type, host_id, relationships } = row
  const parsed = <Name extends keyof ModelNode & Document>(name: Name) =>
    seen.parsed(row[name]) as ModelNode[Name]
  return {
    id,
    type,
    host_id,
    type_hierarchy: parsed('type_hierarchy'),
    properties: parsed('properties'),
    operations: parsed('operations'),
    plugins: parsed('plugins'),
    relationships: (JSON.parse(relationships) as ModelNode['relationships']).map((relationship) => ({
      ...relationship,
      type_hierarchy: seen.same(relationship.type_hierarchy),
      properties: seen.same(relationship.properties),
      source_operations: seen.same(relationship.source_operations),
      target_operations: seen.same(relationship.target_operations),
    })),
  }
}

export type Seen = ReturnType<typeof newSeen>

/** Values by their text. */
export function newSeen() {
  const values = new Map<string, unknown>()
  const once = (text: string, make: () => unknown) => {
    const known = values.get(text)
    if (known !== undefined) return known
    const value = make()
    values.set(text, value)
    return value
  }
  return {
    parsed: (text: string) => once(text, () => JSON.parse(text)),
    same: <Value>(value: Value) => once(JSON.stringify(value), () => value) as Value,
  }
}
