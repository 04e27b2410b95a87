import { ApiError } from '@tutti/api'
import { insertExecution } from '@tutti/domain/executions'
import { type ExecutionRow, LeaseLost, openDatabase, openQueue, takeLease } from '@tutti/storage'
import { createTestDatabase } from '@tutti/storage/testing'
import { expect, test } from 'vitest'
import type { GivenOperation } from '../../operations/index.ts'
import type { ExecutorServices } from '../../services.ts'
import { createNativeExecutor } from './native-executor.ts'
import type { NativeOperation } from './native-operation.ts'

const given: GivenOperation = {
  id: 'o',
  name: 'task',
  implementation: 'test',
  inputs: {},
  context: {},
  execution: { id: 'e', tenant_id: 0, lease_fence: 1 } as ExecutionRow,
  isResumed: false,
  timeLimit: { ms: null, isRecoverable: true },
}

function run(operation: NativeOperation, changed: Partial<GivenOperation> = {}, signal = never) {
  const executor = createNativeExecutor({} as ExecutorServices, new Map([['test', operation]]))
  return executor.run({ ...given, ...changed }, { signal, started: () => {}, said: () => {} })
}

const never = new AbortController().signal

/** Goes on until it is told to end. */
const untilTold: NativeOperation = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('told to end'))))

test('a function answers how it ended', async () => {
  expect(await run(async () => ({ ok: true, result: 1 }))).toEqual({ ok: true, result: 1 })
})

test('an error of the catalogue is a failure that is not tried again, any other is for the worker to report', async () => {
  const refused = run(async () => {
    throw new ApiError('not_found_error', 'no such thing')
  })
  expect(await refused).toMatchObject({
    ok: false,
    error: { kind: 'non-recoverable', message: 'no such thing' },
  })
  await expect(
    run(async () => {
      throw new Error('out of order')
    }),
  ).rejects.toThrow('out of order')
})

test.each([
  [true, 'recoverable'],
  [false, 'non-recoverable'],
])('its time limit ends it; recoverable: %s', async (isRecoverable, kind) => {
  expect(await run(untilTold, { timeLimit: { ms: 1, isRecoverable } })).toMatchObject({
    ok: false,
    error: { kind, message: 'Process killed due to timeout of 0.001 seconds' },
  })
})

test('aborted, it is answered as killed, after the function has ended', async () => {
  const abort = new AbortController()
  let hasEnded = false
  const running = run(
    async ({ signal }) => {
      abort.abort()
      await new Promise((resolve) => setImmediate(resolve))
      hasEnded = true
      throw signal.reason
    },
    {},
    abort.signal,
  )
  expect(await running).toMatchObject({ ok: false, error: { kind: 'killed' } })
  expect(hasEnded).toBe(true)
})

test('aborted before it began, it is not begun', async () => {
  const outcome = await run(() => Promise.reject(new Error('begun')), {}, AbortSignal.abort())
  expect(outcome).toMatchObject({ ok: false, error: { kind: 'killed' } })
})

test('a function that had finished is not undone by being told to end', async () => {
  const abort = new AbortController()
  const running = run(
    async () => {
      abort.abort()
      await new Promise((resolve) => setImmediate(resolve))
      return { ok: true, result: 'done' }
    },
    {},
    abort.signal,
  )
  expect(await running).toEqual({ ok: true, result: 'done' })
})

test('it changes nothing once another worker has its execution, and sees its own deployment only', async () => {
  const own = await createTestDatabase()
  const { db, close } = openDatabase({ ...own.connection, max: 2 })
  const queue = await openQueue(own.connection, (error) => {
    throw error
  })
  try {
    await db.insertInto('tenants').values({ id: 0, name: 'default_tenant' }).execute()
    const inserted = { tenantId: 0, id: 'e', workflowId: 'install', parameters: {}, createdBy: 'admin' }
    await db
      .transaction()
      .execute((transaction) => insertExecution(transaction, queue, { ...inserted, status: 'pending' }))
    const execution = await takeLease(db, { tenantId: 0, executionId: 'e' }, 'me', 60_000, 'wait')
    if (execution === undefined) throw new Error('the lease was not to be had')
    const executor = createNativeExecutor(
      { db } as ExecutorServices,
      new Map<string, NativeOperation>([
        [
          'rename',
          async ({ change }) => {
            await change((transaction) =>
              transaction.updateTable('tenants').set({ name: 'changed' }).execute(),
            )
            return { ok: true, result: null }
          },
        ],
      ]),
    )
    const watch = { signal: never, started: () => {}, said: () => {} }
    const rename = (fence: number) =>
      executor.run(
        { ...given, implementation: 'rename', execution: { ...execution, lease_fence: fence } },
        watch,
      )
    await expect(rename(execution.lease_fence - 1)).rejects.toThrow(LeaseLost)
    expect(await db.selectFrom('tenants').select('name').execute()).toEqual([{ name: 'default_tenant' }])
    expect(await rename(execution.lease_fence)).toEqual({ ok: true, result: null })
    expect(await db.selectFrom('tenants').select('name').execute()).toEqual([{ name: 'changed' }])
  } finally {
    await queue.close()
    await close()
    await own.drop()
  }
})
