import {
  type Database,
  inParts,
  type ListedResource,
  ownedAs,
  ownedRows,
  ownerFields,
  type Scope,
  type Transaction,
  toJson,
  unawaitedIfOnly,
  visibleIn,
} from '@tutti/storage'
import { sql } from 'kysely'

/** docs/reference/operations-resource.md, "Operations". */
export const operationResource: ListedResource = {
  model: 'Operation',
  from: sql`operations o
    left join tenants on tenants.id = o.tenant_id
    join tasks_graphs g on g.tenant_id = o.tenant_id and g.id = o.tasks_graph_id`,
  fields: {
    id: { column: sql`o.id` },
    name: { column: sql`o.name` },
    // Stored as it was sent; clients write states in either case.
    state: { column: sql`o.state`, filterBy: sql`lower(o.state)` },
    type: { column: sql`o.type` },
    dependencies: { column: sql`o.dependencies` },
    parameters: { column: sql`o.parameters` },
    tasks_graph_id: { column: sql`o.tasks_graph_id` },
    tasks_graph: { column: sql`o.tasks_graph_id` },
    manager_name: { column: sql`o.manager_name` },
    agent_name: { column: sql`o.agent_name` },
    ...ownerFields('o'),
  },
  ...ownedRows('o'),
  tieBreaker: sql`o.position`,
}

export const tasksGraphResource: ListedResource = {
  model: 'TasksGraph',
  from: sql`tasks_graphs g left join tenants on tenants.id = g.tenant_id`,
  fields: {
    id: { column: sql`g.id` },
    name: { column: sql`g.name` },
    execution_id: { column: sql`g.execution_id` },
    ...ownerFields('g'),
  },
  ...ownedRows('g'),
}

export const inGraph = (id: string) => sql`o.tasks_graph_id = ${id}`
export const inExecution = (id: string) => sql`g.execution_id = ${id}`
/** What people follow: operations on nodes and the steps that hold them. */
export const notInternal = sql`o.type in ('RemoteWorkflowTask', 'SubgraphTask')`

export type ExecutionRef = {
  readonly tenantId: number
  readonly id: string
  readonly visibility: 'private' | 'tenant' | 'global'
  readonly createdBy: string
}

export async function findExecution(
  db: Database,
  scope: Scope,
  id: string,
): Promise<ExecutionRef | undefined> {
  const { rows } = await sql<ExecutionRef>`
    select e.tenant_id as "tenantId", e.id, e.visibility, e.created_by as "createdBy" from executions e
    where e.id = ${id} and ${visibleIn(ownedAs('e'), scope)}`.execute(db)
  return rows[0]
}

export type NewOperation = {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly state: string
  readonly dependencies: readonly string[]
  readonly parameters: unknown
}

export type NewGraph = {
  readonly id: string
  readonly name: string
  readonly createdBy: string
  readonly createdAt?: Date | undefined
  /** The engine's record of a graph that a worker runs. */
  readonly state?: unknown
}

/** Returns false when the execution has a graph of that name already, or another one has the id. */
export async function insertGraph(
  transaction: Transaction,
  execution: ExecutionRef,
  graph: NewGraph,
): Promise<boolean> {
  const row = await transaction
    .insertInto('tasks_graphs')
    .values({
      tenant_id: execution.tenantId,
      id: graph.id,
      execution_id: execution.id,
      name: graph.name,
      visibility: execution.visibility,
      created_by: graph.createdBy,
      ...(graph.state !== undefined && { graph_state: toJson(graph.state) }),
      ...(graph.createdAt !== undefined && { created_at: graph.createdAt }),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

type Owner = {
  readonly tenantId: number
  readonly visibility: ExecutionRef['visibility']
  readonly createdBy: string
}

const insertion = (owner: Owner, graphId: string, operations: readonly NewOperation[]) => sql`
  insert into operations (tenant_id, tasks_graph_id, visibility, created_by, id, name, type, state, dependencies,
    parameters)
  select ${owner.tenantId}, ${graphId}, ${owner.visibility}, ${owner.createdBy}, o.*
  from unnest(
    ${operations.map((one) => one.id)}::text[],
    ${operations.map((one) => one.name)}::text[],
    ${operations.map((one) => one.type)}::text[],
    ${operations.map((one) => one.state)}::text[],
    ${operations.map((one) => toJson(one.dependencies))}::json[],
    ${operations.map((one) => toJson(one.parameters))}::json[]
  ) as o`

/** Appends operations to a graph in their order, in statements between which the event loop has its turn. */
export async function insertOperations(
  transaction: Transaction,
  owner: Owner,
  graphId: string,
  operations: readonly NewOperation[],
): Promise<void> {
  for (const part of inParts(operations)) {
    await sql`${insertion(owner, graphId, part)} ${unawaitedIfOnly(part, operations)}`.execute(transaction)
  }
}

/** The same, where others may have taken the ids; returns those that were not there before. */
export async function insertFreeOperations(
  transaction: Transaction,
  owner: Owner,
  graphId: string,
  operations: readonly NewOperation[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    ${insertion(owner, graphId, operations)} on conflict do nothing returning id`.execute(transaction)
  return new Set(rows.map((row) => row.id))
}

/** Adds to the execution's counters, and holds its row: the order in which workers lock too. */
export async function addToCounters(
  transaction: Transaction,
  execution: { readonly tenantId: number; readonly id: string },
  total: number,
  finished: number,
): Promise<void> {
  if (total === 0 && finished === 0) return
  await transaction
    .updateTable('executions')
    .set({
      total_operations: sql`greatest(0, total_operations + ${total})`,
      finished_operations: sql`greatest(0, finished_operations + ${finished})`,
    })
    .where('tenant_id', '=', execution.tenantId)
    .where('id', '=', execution.id)
    .execute()
}

export type LockedOperation = {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly state: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly executionId: string
  readonly executionCreatedBy: string
  /** The deployment that the execution works on. */
  readonly deploymentId: string | null
}

/** Locks the operation's execution and then the operation, in the order of the workers' own writes. */
export async function lockOperation(
  transaction: Transaction,
  tenantId: number,
  id: string,
  scope: Scope,
): Promise<LockedOperation | undefined> {
  await sql`
    select from executions e
    where e.tenant_id = ${tenantId} and e.id = (
      select g.execution_id from operations o
      join tasks_graphs g on g.tenant_id = o.tenant_id and g.id = o.tasks_graph_id
      where o.tenant_id = ${tenantId} and o.id = ${id})
    for no key update of e`.execute(transaction)
  return transaction
    .selectFrom('operations as o')
    .innerJoin('tasks_graphs as g', (join) =>
      join.onRef('g.tenant_id', '=', 'o.tenant_id').onRef('g.id', '=', 'o.tasks_graph_id'),
    )
    .innerJoin('executions as e', (join) =>
      join.onRef('e.tenant_id', '=', 'g.tenant_id').onRef('e.id', '=', 'g.execution_id'),
    )
    .select([
      'o.id',
      'o.name',
      'o.type',
      'o.state',
      'o.parameters',
      'g.execution_id as executionId',
      'e.created_by as executionCreatedBy',
      'e.deployment_id as deploymentId',
    ])
    .where('o.tenant_id', '=', tenantId)
    .where('o.id', '=', id)
    .where(sql<boolean>`${visibleIn(ownedAs('o'), scope)}`)
    .forNoKeyUpdate('o')
    .executeTakeFirst()
}

export async function updateOperation(
  transaction: Transaction,
  tenantId: number,
  id: string,
  change: {
    readonly state: string
    readonly managerName?: string | null
    readonly agentName?: string | null
  },
): Promise<void> {
  await transaction
    .updateTable('operations')
    .set({
      state: change.state,
      ...(change.managerName != null && { manager_name: change.managerName }),
      ...(change.agentName != null && { agent_name: change.agentName }),
    })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

export async function deleteOperation(transaction: Transaction, tenantId: number, id: string): Promise<void> {
  await transaction.deleteFrom('operations').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

export async function readNodeOperations(db: Database, tenantId: number, deploymentId: string, id: string) {
  return db
    .selectFrom('nodes')
    .select(['operations', 'relationships'])
    .where('tenant_id', '=', tenantId)
    .where('deployment_id', '=', deploymentId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Operations of the deployment's executions that are not done, locked: their executions first, as workers do. */
export async function readUnfinished(transaction: Transaction, tenantId: number, deploymentId: string) {
  await sql`
    select from executions where tenant_id = ${tenantId} and deployment_id = ${deploymentId}
    order by id for no key update`.execute(transaction)
  const { rows } = await sql<{ id: string; parameters: Readonly<Record<string, unknown>> }>`
    select o.id, o.parameters from executions e
    join tasks_graphs g on g.tenant_id = e.tenant_id and g.execution_id = e.id
    join operations o on o.tenant_id = g.tenant_id and o.tasks_graph_id = g.id
    where e.tenant_id = ${tenantId} and e.deployment_id = ${deploymentId} and o.type = 'RemoteWorkflowTask'
      and lower(o.state) not in ('succeeded', 'failed')
    order by o.position
    for no key update of o`.execute(transaction)
  return rows
}

export async function setOperationParameters(
  db: Database,
  tenantId: number,
  id: string,
  parameters: unknown,
): Promise<void> {
  await db
    .updateTable('operations')
    .set({ parameters: toJson(parameters) })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}
