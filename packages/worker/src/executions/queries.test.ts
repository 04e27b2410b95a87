import { insertExecution } from '@tutti/domain/executions'
import type { Commit } from '@tutti/engine'
import { type ExecutionRow, LeaseLost, openDatabase, openQueue, takeLease } from '@tutti/storage'
import { createTestDatabase } from '@tutti/storage/testing'
import { expect, test } from 'vitest'
import { addInstance } from '../../test/node-instance.ts'
import { storeCommit, takeStep } from './queries.ts'

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
    const commit = { inserted: [], patched: [], removed: [], record: null }
    const nodeInstanceStates = [state('own_1'), state('other_1')]
    await db
      .transaction()
      .execute((transaction) =>
        storeCommit(transaction, row, 'graph', { ...commit, nodeInstanceStates } as unknown as Commit),
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
