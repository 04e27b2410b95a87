import { insertExecution } from '@tutti/domain/executions'
import { type ExecutionRow, openDatabase, openQueue, takeLease } from '@tutti/storage'
import { createTestDatabase } from '@tutti/storage/testing'
import { newControl } from '../src/executions/control.ts'
import type { WorkerServices } from '../src/services.ts'

/** A database of its own with executions that a worker holds, and what system workflows need of that worker. */
export async function heldExecutions() {
  const own = await createTestDatabase()
  const { db, close } = openDatabase({ ...own.connection, max: 3 })
  const queue = await openQueue(own.connection, (error) => {
    throw error
  })
  await db.insertInto('tenants').values({ id: 0, name: 'default_tenant' }).execute()
  const services = { db, queue, log: { info: () => {} }, now: Date.now } as unknown as WorkerServices
  return {
    db,
    services,

    /** A new one, taken by this worker. */
    async take(workflowId: string, parameters: ExecutionRow['parameters'] = {}) {
      const id = crypto.randomUUID()
      const inserted = {
        tenantId: 0,
        id,
        workflowId,
        parameters,
        createdBy: 'admin',
        status: 'pending',
      } as const
      await db.transaction().execute((transaction) => insertExecution(transaction, queue, inserted))
      const execution = await takeLease(db, { tenantId: 0, executionId: id }, 'me', 60_000, 'wait')
      if (execution === undefined) throw new Error('the lease was not to be had')
      return { execution, control: newControl(execution, Number.POSITIVE_INFINITY) }
    },

    /** What people see of it: status, error, and its events. */
    async seen(id: string) {
      const { status, error } = await db
        .selectFrom('executions')
        .select(['status', 'error'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      const events = await db
        .selectFrom('events')
        .select('event_type')
        .where('execution_id', '=', id)
        .orderBy('id')
        .execute()
      return { status, error, events: events.map((event) => event.event_type) }
    },

    async setStatus(id: string, status: string) {
      await db.updateTable('executions').set({ status }).where('id', '=', id).execute()
    },

    async close() {
      await queue.close()
      await close()
      await own.drop()
    },
  }
}
