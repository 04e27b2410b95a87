import { randomUUID } from 'node:crypto'
import { openDatabase, openQueue } from '@tutti/storage'
import { createTestDatabase } from '@tutti/storage/testing'
import { expect, test } from 'vitest'
import { insertExecutions } from './index.ts'

test('who starts many executions waits for them alone', async () => {
  const { connection, drop } = await createTestDatabase()
  const { db, close } = openDatabase(connection)
  const queue = await openQueue(connection, (error) => {
    throw error
  })
  try {
    const { id: tenantId } = await db
      .insertInto('tenants')
      .values({ name: 'many' })
      .returning('id')
      .executeTakeFirstOrThrow()
    const { id: otherId } = await db
      .insertInto('tenants')
      .values({ name: 'few' })
      .returning('id')
      .executeTakeFirstOrThrow()
    await db
      .insertInto('users')
      .values({ username: 'ann', role: 'default' })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const start = (id: number, count: number) =>
      db.transaction().execute((transaction) =>
        insertExecutions(
          transaction,
          queue,
          Array.from({ length: count }, () => ({
            tenantId: id,
            id: randomUUID(),
            workflowId: 'install',
            status: 'pending' as const,
            parameters: {},
            visibility: 'tenant' as const,
            createdBy: 'ann',
          })),
        ),
      )
    await start(tenantId, 40)
    await start(tenantId, 2)
    await start(otherId, 3)
    const seen: number[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    await queue.work(async (jobs) => {
      seen.push(...jobs.map((job) => job.tenantId))
      if (seen.length === 45) resolve()
    })
    await promise
    expect(seen.slice(0, 8).filter((id) => id === otherId)).toHaveLength(3)
  } finally {
    await queue.close()
    await close()
    await drop()
  }
})
