import { changeNodeInstances, setSystemProperties } from '@tutti/domain/node-instances'
import { insertGraph, insertOperations } from '@tutti/domain/operations'
import type {
  Commit,
  GraphRecord,
  PhaseProgress,
  PreparedResume,
  StoredGraph,
  StoredOperation,
} from '@tutti/engine'
import {
  checkLease,
  type Database,
  type ExecutionRow,
  inParts,
  type Lease,
  LeaseLost,
  type Schema,
  type Transaction,
  toJson,
  unawaited,
  unawaitedIfOnly,
} from '@tutti/storage'
import { sql, type UpdateObject } from 'kysely'

/** Names and facts that every operation of the execution is told. */
export async function loadSurroundings(db: Database, execution: ExecutionRow) {
  const tenant = await db
    .selectFrom('tenants')
    .select('name')
    .where('id', '=', execution.tenant_id)
    .executeTakeFirstOrThrow()
  const deployment =
    execution.deployment_id === null
      ? undefined
      : await db
          .selectFrom('deployments')
          .select([
            'id',
            'display_name',
            'blueprint_id',
            'created_by',
            'resource_tags',
            'runtime_only_evaluation',
          ])
          .where('tenant_id', '=', execution.tenant_id)
          .where('id', '=', execution.deployment_id)
          .executeTakeFirst()
  return { tenantName: tenant.name, deployment }
}

/** @param name of one of them; all without it */
export async function loadGraphs(db: Database, lease: Lease, name?: string): Promise<StoredGraph[]> {
  let query = db
    .selectFrom('tasks_graphs')
    .select(['id', 'name', 'graph_state'])
    .where('tenant_id', '=', lease.tenantId)
    .where('execution_id', '=', lease.executionId)
  if (name !== undefined) query = query.where('name', '=', name)
  const graphs = await query.execute()
  return Promise.all(
    graphs.map(async ({ id, name, graph_state }) => ({
      id,
      name,
      record: graph_state as GraphRecord,
      operations: (await db
        .selectFrom('operations')
        .select(['id', 'name', 'type', 'state', 'dependencies', 'parameters'])
        .where('tenant_id', '=', lease.tenantId)
        .where('tasks_graph_id', '=', id)
        .orderBy('position')
        .execute()) as unknown as StoredOperation[],
    })),
  )
}

export async function storeGraph(
  transaction: Transaction,
  lease: Lease,
  execution: ExecutionRow,
  graph: StoredGraph,
  total: number,
): Promise<void> {
  const owner = ownerOf(execution)
  const { id, name, record: state } = graph
  const isNew = await insertGraph(transaction, owner, { id, name, state, createdBy: owner.createdBy })
  if (!isNew) throw new Error(`execution ${execution.id} has a graph ${name} already`)
  await insertOperations(transaction, owner, id, graph.operations)
  await count(transaction, lease, total, 0)
}

/**
 * Begins to store a step: proves that the lease is still held, and that this step comes next. False when it is stored
 * already: the connection broke while it was committed, and this is another try.
 */
export async function takeStep(
  transaction: Transaction,
  lease: Lease,
  step: number,
  counters: Commit['counters'],
): Promise<boolean> {
  const row = await transaction
    .updateTable('executions')
    .set({ ...counted(counters.total, counters.finished), step })
    .where('tenant_id', '=', lease.tenantId)
    .where('id', '=', lease.executionId)
    .where('lease_fence', '=', lease.fence)
    .where('step', '=', step - 1)
    .returning('id')
    .executeTakeFirst()
  if (row !== undefined) return true
  const stored = await checkLease(transaction, lease)
  if (stored.step === step) return false
  throw new Error(`step ${step} of execution ${lease.executionId} cannot follow step ${stored.step}`)
}

/** Stores everything that one step of the reducer decided (README of the engine); `takeStep` comes before it. */
export async function storeCommit(
  transaction: Transaction,
  execution: ExecutionRow,
  graphId: string,
  commit: Commit,
): Promise<void> {
  const tenantId = execution.tenant_id
  await insertOperations(transaction, ownerOf(execution), graphId, commit.inserted)
  await patchOperations(transaction, tenantId, commit.patched)
  if (commit.removed.length > 0) {
    await transaction
      .deleteFrom('operations')
      .where('tenant_id', '=', tenantId)
      .where('id', 'in', commit.removed)
      .execute()
  }
  const owner = { tenantId, deploymentId: execution.deployment_id ?? '' }
  for (const change of commit.nodeInstanceChanges) await changeNodeInstances(transaction, owner, change)
  await setInstanceStates(transaction, execution, commit)
  await setSystemProperties(transaction, owner, commit.systemProperties)
  if (commit.record !== null) await setGraphRecord(transaction, tenantId, graphId, commit.record)
}

/** Writes what `prepareResume` changed and takes the request for it away, so that it happens once. */
export async function storeResume(
  transaction: Transaction,
  lease: Lease,
  execution: ExecutionRow,
  graphId: string,
  resume: PreparedResume,
): Promise<void> {
  await insertOperations(transaction, ownerOf(execution), graphId, resume.inserted)
  await patchOperations(transaction, lease.tenantId, resume.patched)
  await setGraphRecord(transaction, lease.tenantId, graphId, resume.record)
  await count(transaction, lease, resume.total, 0)
}

export async function clearResumeMode(transaction: Transaction, lease: Lease): Promise<void> {
  await transaction
    .updateTable('executions')
    .set({ resume_mode: null })
    .where('tenant_id', '=', lease.tenantId)
    .where('id', '=', lease.executionId)
    .where('lease_fence', '=', lease.fence)
    .execute()
}

/** Changes the execution's row and, in the same statement, proves that the lease is held. */
async function updateHeld(
  transaction: Transaction,
  lease: Lease,
  change: UpdateObject<Schema, 'executions'>,
) {
  const row = await transaction
    .updateTable('executions')
    .set(change)
    .where('tenant_id', '=', lease.tenantId)
    .where('id', '=', lease.executionId)
    .where('lease_fence', '=', lease.fence)
    .returning('status')
    .executeTakeFirst()
  if (row === undefined) throw new LeaseLost(lease)
  return row
}

/** Gives the execution the token of its new owner, under the lease; its status. */
export const setToken = (transaction: Transaction, lease: Lease, tokenHash: string) =>
  updateHeld(transaction, lease, { token_hash: tokenHash })

/** Stores how far the execution has come, under the lease. */
export async function setPhase(transaction: Transaction, lease: Lease, phase: PhaseProgress): Promise<void> {
  await updateHeld(transaction, lease, { phase: toJson(phase) })
}

/** With its start: nobody looks at them again. */
export async function setParameters(
  transaction: Transaction,
  lease: Lease,
  parameters: ExecutionRow['parameters'],
): Promise<void> {
  await transaction
    .updateTable('executions')
    .set({ parameters: toJson(parameters), checks_at_start: false })
    .where('tenant_id', '=', lease.tenantId)
    .where('id', '=', lease.executionId)
    .where('lease_fence', '=', lease.fence)
    .execute()
}

const counted = (total: number, finished: number) => ({
  total_operations: sql<number>`total_operations + ${total}`,
  finished_operations: sql<number>`finished_operations + ${finished}`,
})

/** Adds to the counters, under the lease. */
async function count(transaction: Transaction, lease: Lease, total: number, finished: number): Promise<void> {
  await updateHeld(transaction, lease, counted(total, finished))
}

const ownerOf = ({ tenant_id, id, visibility, created_by }: ExecutionRow) => ({
  tenantId: tenant_id,
  id,
  visibility,
  createdBy: created_by,
})

async function patchOperations(
  transaction: Transaction,
  tenantId: number,
  patches: Commit['patched'],
): Promise<void> {
  const json = (value: unknown) => (value === undefined ? null : toJson(value))
  for (const part of inParts(patches)) {
    await sql`
      update operations o set
        state = p.state,
        parameters = coalesce(p.parameters, o.parameters),
        dependencies = coalesce(p.dependencies, o.dependencies)
      from unnest(
        ${part.map((patch) => patch.id)}::text[],
        ${part.map((patch) => patch.state)}::text[],
        ${part.map((patch) => json(patch.parameters))}::json[],
        ${part.map((patch) => json(patch.dependencies))}::json[]
      ) as p (id, state, parameters, dependencies)
      where o.tenant_id = ${tenantId} and o.id = p.id ${unawaitedIfOnly(part, patches)}`.execute(transaction)
  }
}

/** Only the last state of each instance counts; side effects as docs/reference/nodes-and-instances.md, "States". */
async function setInstanceStates(
  transaction: Transaction,
  { tenant_id: tenantId, deployment_id: deploymentId }: ExecutionRow,
  commit: Commit,
): Promise<void> {
  const changes = commit.nodeInstanceStates
  if (changes.length === 0) return
  const last = new Map(changes.map((change) => [change.nodeInstanceId, change]))
  const configured = new Set(
    changes.filter((change) => change.state === 'configured').map((change) => change.nodeInstanceId),
  )
  const rows = [...last.values()]
  await sql`
    update node_instances i set
      state = s.state,
      is_status_check_ok = i.is_status_check_ok or s.state = 'started',
      has_configuration_drift = i.has_configuration_drift and not (s.configured and not ${relationshipDrift}),
      system_properties = case when s.configured or s.state = 'started' then (
        ${systemProperties}
        || case when s.configured then jsonb_build_object('configuration_drift', s.fine) else '{}' end
        || case when s.state = 'started' then jsonb_build_object('previous_status', null, 'status', s.fine)
          else '{}' end
      )::json else i.system_properties end
    from (
      select id, state, configured, jsonb_build_object('ok', true, 'result', null, 'task', null,
        'timestamp', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as fine
      from unnest(
        ${rows.map((row) => row.nodeInstanceId)}::text[],
        ${rows.map((row) => row.state)}::text[],
        ${rows.map((row) => configured.has(row.nodeInstanceId))}::boolean[],
        ${rows.map((row) => new Date(row.atMs))}::timestamptz[]
      ) as u (id, state, configured, at)
    ) as s
    where i.tenant_id = ${tenantId} and i.id = s.id and i.deployment_id = ${deploymentId} ${unawaited}`.execute(
    transaction,
  )
}

/** `jsonb` can be changed in part but knows no NUL, which `json` may hold. */
const systemProperties = sql.raw(String.raw`replace(i.system_properties::text, '\u0000', '\ufffd')::jsonb`)

/**
 * Drift of a relationship is not undone by configuring the instance (docs/reference/nodes-and-instances.md, "Checks").
 */
const relationshipDrift = sql`exists (
  select from (values ('source_relationships_configuration_drift'), ('target_relationships_configuration_drift'))
    as kinds (kind),
    jsonb_each(coalesce(nullif(${systemProperties}->kinds.kind, 'null'), '{}')) as drifts (id, record)
  where record->'ok' = 'false' or record->>'result' is not null)`

async function setGraphRecord(
  transaction: Transaction,
  tenantId: number,
  graphId: string,
  record: GraphRecord,
): Promise<void> {
  await transaction
    .updateTable('tasks_graphs')
    .set({ graph_state: toJson(record) })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', graphId)
    .modifyEnd(unawaited)
    .execute()
}
