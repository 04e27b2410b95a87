import { createMetrics, openDatabase } from '@tutti/storage'
import { expect, test } from 'vitest'
import { startTestManager } from '../../test/test-manager.ts'
import { handlers } from '../features/index.ts'
import { buildApp } from './app.ts'

test('while the database is away, requests are answered that they may be sent again', async () => {
  const manager = await startTestManager()
  const nowhere = openDatabase({ host: '/nowhere', user: 'x', database: 'x' })
  const app = buildApp(
    { ...manager.services, metrics: createMetrics(), db: nowhere.db, database: nowhere },
    handlers,
  )
  try {
    const answer = await app.inject({
      method: 'GET',
      url: '/api/v3.1/events',
      headers: { authorization: `Basic ${btoa('admin:admin-password')}`, tenant: 'default_tenant' },
    })
    expect(answer.statusCode).toBe(503)
    expect(answer.headers['retry-after']).toBe('2')
    expect(answer.json()).toMatchObject({
      error_code: 'database_unavailable_error',
      message: 'The database of the manager does not answer now',
    })
    expect((await app.inject('/readyz')).statusCode).toBe(503)
    expect((await app.inject('/healthz')).statusCode).toBe(200)
  } finally {
    await app.close()
    await nowhere.close()
    await manager.close()
  }
})
