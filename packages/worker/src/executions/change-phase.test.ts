import { ApiError } from '@tutti/api'
import { insertExecution } from '@tutti/domain/executions'
import type { WorkflowAction } from '@tutti/domain/workflow-actions'
import type { ActionPhase, ActionStep } from '@tutti/engine'
import { LeaseLost, openDatabase, openQueue, takeLease } from '@tutti/storage'
import { createTestDatabase } from '@tutti/storage/testing'
import { expect, test } from 'vitest'
import { changePhase, previewPhase } from './change-phase.ts'

const phase: ActionPhase = {
  kind: 'action',
  name: 'rename',
  action: 'rename',
  input: { to: 'changed' },
  otherwise: { kind: 'undo' },
}
const step = (name: ActionStep['step'], changed: Partial<ActionPhase> = {}): ActionStep => ({
  phase: { ...phase, ...changed },
  step: name,
})

const rename: WorkflowAction = {
  async begin(transaction, { input }) {
    await transaction
      .updateTable('tenants')
      .set({ name: String(input.to) })
      .execute()
  },
  end: async () => {
    throw new ApiError('conflict_error', 'it was changed meanwhile')
  },
  async undo(transaction) {
    await transaction.updateTable('tenants').set({ name: 'default_tenant' }).execute()
  },
}

test('a step of an action and the progress are stored together, by whoever holds the lease', async () => {
  const own = await createTestDatabase()
  const { db, close } = openDatabase({ ...own.connection, max: 2 })
  const queue = await openQueue(own.connection, (error) => {
    throw error
  })
  try {
    await db.insertInto('tenants').values({ id: 0, name: 'default_tenant' }).execute()
    const inserted = { tenantId: 0, id: 'e', workflowId: 'scale', parameters: {}, createdBy: 'admin' }
    await db
      .transaction()
      .execute((transaction) => insertExecution(transaction, queue, { ...inserted, status: 'pending' }))
    const execution = await takeLease(db, { tenantId: 0, executionId: 'e' }, 'me', 60_000, 'wait')
    if (execution === undefined) throw new Error('the lease was not to be had')
    const lease = { tenantId: 0, executionId: 'e', fence: execution.lease_fence }
    const actions = new Map([['rename', rename]])
    const stored = async () => ({
      ...(await db.selectFrom('tenants').select('name').executeTakeFirstOrThrow()),
      ...(await db.selectFrom('executions').select('phase').executeTakeFirstOrThrow()),
    })
    const passed = { passed: 'rename' }
    const change = (steps: readonly ActionStep[], fence = lease.fence) =>
      changePhase(db, { ...lease, fence }, execution, steps, passed, actions)

    await expect(change([step('begin')], lease.fence - 1)).rejects.toThrow(LeaseLost)
    expect(await change([step('begin'), step('end')])).toEqual({
      status: 'failed',
      error: 'it was changed meanwhile',
    })
    const unknown = await change([step('begin'), step('begin', { action: 'paint' })])
    expect(unknown).toEqual({ status: 'failed', error: 'This release has no action paint' })
    expect(await stored()).toEqual({ name: 'default_tenant', phase: null })

    expect(await change([step('begin')])).toEqual({ status: 'succeeded' })
    expect(await stored()).toEqual({ name: 'changed', phase: passed })

    const seen: string[] = []
    const looked = {
      ...rename,
      begin: async (...given: Parameters<WorkflowAction['begin']>) => {
        await rename.begin(...given)
        const [transaction] = given
        seen.push((await transaction.selectFrom('tenants').select('name').executeTakeFirstOrThrow()).name)
      },
    }
    const again = { ...phase, action: 'look', input: { to: 'tried' } }
    const { end } = await previewPhase(
      db,
      lease,
      execution,
      [step('begin', again), step('undo')],
      new Map([...actions, ['look', looked]]),
    )
    expect([end, seen]).toEqual([{ status: 'succeeded' }, ['tried']])
    expect(await stored()).toEqual({ name: 'changed', phase: passed })
    expect(await previewPhase(db, lease, execution, [step('begin', { action: 'paint' })], actions)).toEqual({
      end: { status: 'failed', error: 'This release has no action paint' },
      model: undefined,
    })
  } finally {
    await queue.close()
    await close()
    await own.drop()
  }
})
