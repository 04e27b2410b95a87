import type { Event } from '@tutti/api'
import type { Client } from '@tutti/client'
import type { Database } from '@tutti/storage'
import { expect } from 'vitest'
import { levels, operations, type Start } from './recorded-blueprint.ts'

/** The operations whose success is in the database, with how often each one's script had been started by then. */
export type Recorded = ReadonlyMap<string, number>

export async function recordedSuccesses(
  db: Database,
  starts: () => Promise<readonly Start[]>,
): Promise<Recorded> {
  const rows = await db
    .selectFrom('operations')
    .select('id')
    .where('type', '=', 'RemoteWorkflowTask')
    .where('state', '=', 'succeeded')
    .execute()
  // Looked at afterwards: what is recorded as done by then has been started, and is not started again.
  const counts = startCounts(await starts())
  return new Map(rows.map(({ id }) => [id, counts.get(id) ?? 0]))
}

export function startCounts(starts: readonly Start[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { operationId } of starts) counts.set(operationId, (counts.get(operationId) ?? 0) + 1)
  return counts
}

/** What was recorded as done before a crash was not started again after it. */
export function expectNotRepeated(recorded: Recorded, starts: readonly Start[]): void {
  const now = startCounts(starts)
  const repeated = [...recorded].filter(([id, count]) => now.get(id) !== count)
  expect(repeated, 'operations that ran again although they were recorded as done').toEqual([])
}

/**
 * What one finished install of the recorded blueprint must have left behind, however often it was interrupted:
 * every operation done, every event once, and everything in the order that the blueprint asks for.
 */
export async function expectWholeInstall(
  client: Client,
  executionId: string,
  deploymentId: string,
  starts: readonly Start[],
): Promise<void> {
  const execution = await client.executions.get(executionId)
  expect(execution).toMatchObject({ status: 'terminated', error: '' })
  expect(execution.finished_operations).toBe(execution.total_operations)

  const instances = await all(client.nodeInstances.iterate({ query: { deployment_id: deploymentId } }))
  expect(instances.map(({ state }) => state)).toEqual(instances.map(() => 'started'))
  const levelOf = new Map(instances.map(({ id, node_id }) => [id, node_id]))

  const events = await all(client.events.iterate({ query: { execution_id: executionId } }))
  const ordered = events.toSorted((one, other) => one._storage_id - other._storage_id)
  expectEventsOnce(
    ordered,
    instances.map(({ id }) => id),
  )
  expectLevelsInOrder(ordered, levelOf)
  expectStarts(starts, instances)
}

const nodeEvents = [
  'Creating node instance',
  'Node instance created',
  'Starting node instance',
  'Node instance started',
]

function expectEventsOnce(events: readonly Event[], instanceIds: readonly string[]): void {
  const kinds = events.map(({ event_type, node_instance_id, operation, message }) =>
    [event_type, node_instance_id, operation, message].join(' | '),
  )
  const repeated = kinds.filter((kind, index) => kinds.indexOf(kind) !== index)
  expect(repeated, 'events that are stored more than once').toEqual([])
  const failures = events.filter(({ event_type }) => /failed|rescheduled/.test(event_type ?? ''))
  expect(
    failures.map(
      ({ node_instance_id, operation, message }) => `${node_instance_id} ${operation}: ${message}`,
    ),
    'nothing fails because of a crash',
  ).toEqual([])
  for (const type of ['workflow_started', 'workflow_succeeded']) {
    expect(events.filter(({ event_type }) => event_type === type)).toHaveLength(1)
  }
  for (const id of instanceIds) {
    const own = events.filter(({ node_instance_id }) => node_instance_id === id)
    const said = own
      .filter(({ event_type }) => event_type === 'workflow_node_event')
      .map(({ message }) => message)
    expect(said.filter((message) => nodeEvents.includes(message ?? ''))).toEqual(nodeEvents)
    for (const type of ['sending_task', 'task_started', 'task_succeeded']) {
      const done = own
        .filter(({ event_type, operation }) => event_type === type && operation !== null)
        .map(({ operation }) => operation)
      expect(done).toEqual(operations.map((operation) => `cloudify.interfaces.lifecycle.${operation}`))
    }
  }
}

/** Nothing of a level begins before all of the level below has started. */
function expectLevelsInOrder(events: readonly Event[], levelOf: ReadonlyMap<string, string>): void {
  const level = (event: Event) => levels.findIndex((one) => one === levelOf.get(event.node_instance_id ?? ''))
  levels.forEach((_name, index) => {
    const last = events.findLastIndex(
      (event) => level(event) === index && event.message === 'Node instance started',
    )
    const next = events.findIndex(
      (event) => level(event) === index + 1 && event.message === 'Creating node instance',
    )
    expect(last).toBeGreaterThan(-1)
    if (index + 1 < levels.length) expect(next).toBeGreaterThan(last)
  })
}

/** Whatever was started more than once was told so, and was never a retry: nothing failed. */
function expectStarts(
  starts: readonly Start[],
  instances: readonly { readonly id: string; readonly runtime_properties: unknown }[],
): void {
  const seen = new Set<string>()
  for (const start of starts) {
    expect(start.retry, `${start.operation} of ${start.instanceId} was retried`).toBe(0)
    if (seen.has(start.operationId)) expect(start.resume, 'a repeated start knows that it is one').toBe(true)
    seen.add(start.operationId)
  }
  const done = new Map(instances.map(({ id }) => [id, new Set<string>()]))
  for (const { instanceId, operation } of starts) done.get(instanceId)?.add(operation)
  for (const { id, runtime_properties } of instances) {
    expect([...(done.get(id) ?? [])], `operations of ${id}`).toEqual([...operations])
    const creation = starts.find((start) => start.instanceId === id && start.operation === 'create')
    expect(runtime_properties).toEqual({ made_by: creation?.operationId })
  }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}
