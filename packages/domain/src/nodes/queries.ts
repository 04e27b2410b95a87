import { partsText } from '@tutti/api'
import {
  type Database,
  type ListedResource,
  type OwnedRow,
  ownedRows,
  ownerFields,
  partsList,
  type Transaction,
  toJson,
  writtenOutBy,
} from '@tutti/storage'
import { type RawBuilder, sql } from 'kysely'
import { inDeploymentGroup } from '../group-members/index.ts'
import { scaledCount } from './scaled-count.ts'

/** docs/reference/nodes-and-instances.md, "Nodes". */
export const nodeResource: ListedResource = {
  model: 'Node',
  from: sql`nodes n
    left join tenants on tenants.id = n.tenant_id
    join deployments d on d.tenant_id = n.tenant_id and d.id = n.deployment_id`,
  fields: {
    id: { column: sql`n.id` },
    deployment_id: { column: sql`n.deployment_id` },
    deployment_display_name: { column: sql`d.display_name` },
    blueprint_id: { column: sql`d.blueprint_id` },
    type: { column: sql`n.type` },
    type_hierarchy: { column: sql`n.type_hierarchy` },
    host_id: { column: sql`n.host_id` },
    properties: { column: sql`n.properties` },
    operations: { column: sql`n.operations` },
    plugins: { column: sql`n.plugins` },
    plugins_to_install: { column: sql`n.plugins_to_install` },
    relationships: { column: sql`n.relationships` },
    number_of_instances: { column: sql`n.number_of_instances` },
    planned_number_of_instances: { column: sql`n.planned_number_of_instances` },
    actual_number_of_instances: { column: instances('count(*)') },
    actual_planned_number_of_instances: {
      column: sql`n.planned_number_of_instances`,
      needs: { node_id: sql`n.id`, node_host: sql`n.host_id`, groups: sql`d.scaling_groups` },
      toWire: (planned, row) =>
        scaledCount(
          Number(planned),
          { id: String(row.node_id), hostId: row.node_host as string | null },
          row.groups as Parameters<typeof scaledCount>[2],
        ),
    },
    deploy_number_of_instances: { column: sql`n.deploy_number_of_instances` },
    min_number_of_instances: { column: sql`n.min_number_of_instances` },
    max_number_of_instances: { column: sql`n.max_number_of_instances` },
    drifted_instances: { column: instances('count(*) filter (where i.has_configuration_drift)') },
    unavailable_instances: { column: instances('count(*) filter (where not i.is_status_check_ok)') },
    ...ownerFields('n'),
  },
  extraFilters: { deployment_group_id: inDeploymentGroup('n') },
  ...ownedRows('n'),
  // As they stand in the blueprint.
  tieBreaker: sql`(n.deployment_id, n.position)`,
}

function instances(what: string): RawBuilder<unknown> {
  return sql`(select ${sql.raw(what)} from node_instances i
    where i.tenant_id = n.tenant_id and i.deployment_id = n.deployment_id and i.node_id = n.id)`
}

export type NodeCounts = {
  readonly number_of_instances: number
  readonly planned_number_of_instances: number
  readonly deploy_number_of_instances: number
  readonly min_number_of_instances: number
  readonly max_number_of_instances: number
}

export type NodeValues = {
  readonly type_hierarchy?: readonly string[]
  readonly host_id?: string | null
  readonly properties?: unknown
  readonly operations?: unknown
  readonly plugins?: unknown
  readonly plugins_to_install?: unknown
  readonly relationships?: unknown
}

/** A node as it is stored: documents as texts of JSON, which may be large and are made elsewhere. */
export type NodeRow = NodeCounts & {
  readonly id: string
  readonly type: string
  readonly type_hierarchy: string
  readonly host_id: string | null
  readonly properties: string
  readonly operations: string
  readonly plugins: string
  readonly plugins_to_install: string | null
  readonly relationships: string
}

/** What nobody said of a new node is empty. */
export const nodeRow = (
  node: NodeValues & NodeCounts & { readonly id: string; readonly type: string },
): NodeRow => ({
  ...node,
  type_hierarchy: toJson(node.type_hierarchy ?? [node.type]),
  host_id: node.host_id ?? null,
  properties: toJson(node.properties ?? {}),
  operations: toJson(node.operations ?? {}),
  plugins: toJson(node.plugins ?? []),
  plugins_to_install: node.plugins_to_install == null ? null : toJson(node.plugins_to_install),
  relationships: toJson(node.relationships ?? []),
})

const countNames = [
  'number_of_instances',
  'planned_number_of_instances',
  'deploy_number_of_instances',
  'min_number_of_instances',
  'max_number_of_instances',
] as const

const countsOf = (node: Partial<NodeCounts>) =>
  Object.fromEntries(countNames.flatMap((name) => (node[name] === undefined ? [] : [[name, node[name]]])))

/** Nodes that are stored by one statement. */
export type NodeBatch = {
  /** `NodeRow[]` as JSON; what the nodes have in common may stand in their documents as references to `parts`. */
  readonly rows: string | Uint8Array
  readonly parts: string | Uint8Array
}

export const nodeBatch = (
  nodes: readonly NodeRow[],
  parts: readonly string[] = [],
): NodeBatch & { readonly rows: string; readonly parts: string } => ({
  rows: toJson(nodes.map((node, index) => ({ ...node, at: index + 1 }))),
  parts: partsText(parts),
})

/** Appends nodes in their order; returns the ids of those that were not there before. */
export async function insertNodes(
  transaction: Transaction,
  deployment: Pick<OwnedRow, 'tenant_id' | 'id' | 'visibility' | 'created_by'>,
  batches: readonly NodeBatch[],
): Promise<ReadonlySet<string>> {
  const inserted = new Set<string>()
  for (const batch of batches) {
    for (const id of await insertBatch(transaction, deployment, batch)) inserted.add(id)
  }
  return inserted
}

const documents = [
  'type_hierarchy',
  'properties',
  'operations',
  'plugins',
  'plugins_to_install',
  'relationships',
]

async function insertBatch(
  transaction: Transaction,
  deployment: Parameters<typeof insertNodes>[1],
  { rows: text, parts }: NodeBatch,
): Promise<readonly string[]> {
  const { tenant_id, id: deployment_id, visibility, created_by } = deployment
  const counts = sql.join(countNames.map((name) => sql.ref(name)))
  const names = sql.join(documents.map((name) => sql.ref(name)))
  const { rows } = await sql<{ id: string }>`
    insert into nodes (tenant_id, deployment_id, visibility, created_by, position, id, type, host_id,
      ${counts}, ${names})
    select ${tenant_id}, ${deployment_id}, ${visibility}, ${created_by}, last.position + n.at, n.id, n.type,
      n.host_id, ${counts},
      ${sql.join(documents.map((name) => sql`${writtenOutBy(sql.ref(`n.${name}`), sql`parts.list`)}::json`))}
    from json_to_recordset(${text}::json) as n (at int, id text, type text, host_id text,
        ${sql.join(countNames.map((name) => sql`${sql.ref(name)} int`))},
        ${sql.join(documents.map((name) => sql`${sql.ref(name)} text`))}),
      ${partsList(sql`${parts}`)} as parts (list),
      (select coalesce(max(position), -1) as position from nodes
       where tenant_id = ${tenant_id} and deployment_id = ${deployment_id}) as last
    on conflict do nothing
    returning id`.execute(transaction)
  return rows.map(({ id }) => id)
}

/** False when the deployment has no such node. */
export async function updateNode(
  db: Database,
  tenantId: number,
  deploymentId: string,
  id: string,
  change: NodeValues & Partial<NodeCounts> & { readonly type?: string },
): Promise<boolean> {
  const changed = ['type_hierarchy', 'properties', 'operations', 'plugins', 'relationships'] as const
  const row = await db
    .updateTable('nodes')
    .set({
      ...(change.type !== undefined && { type: change.type }),
      ...(change.host_id !== undefined && { host_id: change.host_id }),
      ...(change.plugins_to_install !== undefined && {
        plugins_to_install: change.plugins_to_install === null ? null : toJson(change.plugins_to_install),
      }),
      ...Object.fromEntries(
        changed.flatMap((name) => (change[name] === undefined ? [] : [[name, toJson(change[name])]])),
      ),
      ...countsOf(change),
      // Also where nothing that is stored was named.
      id,
    })
    .where('tenant_id', '=', tenantId)
    .where('deployment_id', '=', deploymentId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** With its instances. False when the deployment has no such node. */
export async function deleteNode(
  db: Database,
  tenantId: number,
  deploymentId: string,
  id: string,
): Promise<boolean> {
  const row = await db
    .deleteFrom('nodes')
    .where('tenant_id', '=', tenantId)
    .where('deployment_id', '=', deploymentId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
