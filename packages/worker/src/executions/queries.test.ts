import { insertExecution } from '@tutti/domain/executions'
import type { Commit, NodeInstanceChange } from '@tutti/engine'
import { type ExecutionRow, LeaseLost, openDatabase, openQueue, takeLease } from '@tutti/storage'
import { createTestDatabase } from '@tutti/storage/testing'
import { expect, test } from 'vitest'
import { addInstance } from '../../test/node-instance.ts'
import { storeCommit, takeStep } from './queries.ts'

const emptyCommit: Commit = {
  inserted: [],
  patched: [],
  removed: [],
  nodeInstanceChanges: [],
  nodeInstanceStates: [],
  systemProperties: [],
  events: [],
  counters: { total: 0, finished: 0 },
  record: null,
}

test('a step is stored once, in its turn, and only by whoever holds the lease', async () => {
  const own = await createTestDatabase()
  const { db, close } = openDatabase({ ...own.connection, max: 2 })
  const queue = await openQueue(own.connection, (error) => {
    throw error
  })
  try {
    await db.insertInto('tenants').values({ id: 0, name: 'default_tenant' }).execute()
    const execution = { tenantId: 0, executionId: 'e' }
    await db.transaction().execute((transaction) =>
      insertExecution(transaction, queue, {
        tenantId: 0,
        id: 'e',
        workflowId: 'install',
        status: 'pending',
        parameters: {},
        createdBy: 'admin',
      }),
    )
    const row = await takeLease(db, execution, 'me', 60_000, 'wait')
    const lease = { ...execution, fence: row?.lease_fence ?? 0 }
    const counters = { total: 0, finished: 1 }
    const take = (step: number, fence = lease.fence) =>
      db.transaction().execute((transaction) => takeStep(transaction, { ...lease, fence }, step, counters))

    expect(await take(1)).toBe(true)
    // The answer to the commit got lost, so it is tried again: it counts once.
    expect(await take(1)).toBe(false)
    expect(await take(2)).toBe(true)
    await expect(take(4)).rejects.toThrow('step 4 of execution e cannot follow step 2')
    await expect(take(3, lease.fence - 1)).rejects.toThrow(LeaseLost)
    expect(
      await db.selectFrom('executions').select(['step', 'finished_operations']).executeTakeFirst(),
    ).toEqual({ step: 2, finished_operations: 2 })
  } finally {
    await queue.close()
    await close()
    await own.drop()
  }
})

test('a step sets states of instances of its own deployment only', async () => {
  const own = await createTestDatabase()
  const { db, close } = openDatabase({ ...own.connection, max: 2 })
  try {
    await db.insertInto('tenants').values({ id: 0, name: 'default_tenant' }).execute()
    for (const id of ['own', 'other']) await addInstance(db, id)
    const row = { id: 'e', tenant_id: 0, deployment_id: 'own' } as unknown as ExecutionRow
    const state = (nodeInstanceId: string) => ({ nodeInstanceId, state: 'deleted', atMs: 0 })
    const nodeInstanceStates = [state('own_1'), state('other_1')]
    await db
      .transaction()
      .execute((transaction) =>
        storeCommit(transaction, row, 'graph', { ...emptyCommit, nodeInstanceStates }),
      )
    expect(await db.selectFrom('node_instances').select(['id', 'state']).orderBy('id').execute()).toEqual([
      { id: 'other_1', state: 'uninitialized' },
      { id: 'own_1', state: 'deleted' },
    ])
  } finally {
    await close()
    await own.drop()
  }
})

test('a step adds, rewires and removes instances of its own deployment only, all of it or nothing', async () => {
  const own = await createTestDatabase()
  const { db, close } = openDatabase({ ...own.connection, max: 2 })
  try {
    await db.insertInto('tenants').values({ id: 0, name: 'default_tenant' }).execute()
    for (const id of ['own', 'other']) await addInstance(db, id)
    const row = { id: 'e', tenant_id: 0, deployment_id: 'own' } as unknown as ExecutionRow
    const node_id = (await db.selectFrom('nodes').select('id').executeTakeFirstOrThrow()).id
    const added = (id: string) => ({ id, node_id, relationships: [], scaling_groups: [] })
    const edge = { type: 't', target_name: node_id, target_id: 'own_2' }
    const store = (
      change: Partial<NodeInstanceChange>,
      nodeInstanceStates: Commit['nodeInstanceStates'] = [],
    ) =>
      db.transaction().execute((transaction) =>
        storeCommit(transaction, row, 'graph', {
          ...emptyCommit,
          nodeInstanceChanges: [{ added: [], rewired: [], removed: [], ...change }],
          nodeInstanceStates,
        }),
      )
    const stored = async () =>
      (
        await db
          .selectFrom('node_instances')
          .select(['id', 'deployment_id', 'state', 'instance_index', 'relationships'])
          .orderBy('id')
          .execute()
      ).map((one) => [one.id, one.deployment_id, one.state, one.instance_index, one.relationships])
    const before = await stored()

    const refused: readonly (readonly [Partial<NodeInstanceChange>, string])[] = [
      [{ removed: ['own_1', 'other_1'] }, 'other_1'],
      [{ rewired: [{ id: 'other_1', relationships: [edge] }], removed: ['own_1'] }, 'other_1'],
      [{ added: [added('own_2'), added('other_1')] }, 'already exists'],
      [{ added: [added('own_2'), added('own_2')] }, 'already exists'],
      [{ added: [{ ...added('own_2'), node_id: 'nowhere' }] }, 'nowhere'],
      [{ rewired: [{ id: 'own_1', relationships: [edge] }] }, 'own_2'],
      [{ rewired: [{ id: 'own_1', relationships: [{ ...edge, target_id: 'other_1' }] }] }, 'other_1'],
      [
        {
          added: [added('own_2')],
          rewired: [{ id: 'own_1', relationships: [{ ...edge, target_name: 'another' }] }],
        },
        'own_2',
      ],
      [{ added: [{ ...added('own_2'), relationships: [{ ...edge, target_id: 'gone_1' }] }] }, 'gone_1'],
    ]
    for (const [change, why] of refused) {
      await expect(store(change)).rejects.toThrow(why)
      expect(await stored()).toEqual(before)
    }

    await store({ added: [added('own_2')], rewired: [{ id: 'own_1', relationships: [edge] }] }, [
      { nodeInstanceId: 'own_2', state: 'creating', atMs: 0 },
    ])
    const [first] = before.filter(([id]) => id === 'own_1')
    expect((await stored()).filter(([, deployment]) => deployment === 'own')).toEqual([
      [...(first ?? []).slice(0, 4), [edge]],
      ['own_2', 'own', 'creating', Number(first?.[3]) + 1, []],
    ])
    await store({ removed: ['own_1'] })
    expect((await stored()).map(([id]) => id)).toEqual(['other_1', 'own_2'])
  } finally {
    await close()
    await own.drop()
  }
})
