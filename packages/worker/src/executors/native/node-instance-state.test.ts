import { type ExecutionRow, openDatabase } from '@tutti/storage'
import { createTestDatabase } from '@tutti/storage/testing'
import { expect, test } from 'vitest'
import { addInstance } from '../../../test/node-instance.ts'
import type { ExecutorServices } from '../../services.ts'
import { createNativeExecutor } from './native-executor.ts'

test('GetNodeInstanceStateTask answers for the own deployment only', async () => {
  const own = await createTestDatabase()
  const { db, close } = openDatabase({ ...own.connection, max: 2 })
  try {
    await db.insertInto('tenants').values({ id: 0, name: 'default_tenant' }).execute()
    for (const id of ['own', 'other']) await addInstance(db, id)
    const executor = createNativeExecutor({ db } as ExecutorServices)
    const stateOf = (node_instance_id: string | number) =>
      executor.run(
        {
          id: 'o',
          name: 'task',
          implementation: 'GetNodeInstanceStateTask',
          inputs: { node_instance_id },
          context: {},
          execution: { id: 'e', tenant_id: 0, deployment_id: 'own' } as ExecutionRow,
          isResumed: false,
          timeLimit: { ms: null, isRecoverable: true },
        },
        { signal: new AbortController().signal, started: () => {}, said: () => {} },
      )
    expect(await stateOf('own_1')).toEqual({ ok: true, result: 'uninitialized' })
    for (const id of ['other_1', 'missing', 7]) {
      const message = `Node instance ${JSON.stringify(id)} is not in deployment own`
      expect(await stateOf(id)).toMatchObject({ ok: false, error: { kind: 'non-recoverable', message } })
    }
  } finally {
    await close()
    await own.drop()
  }
})
