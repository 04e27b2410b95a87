import { createMetrics } from '@tutti/storage'
import { expect, test } from 'vitest'
import { startMetricsListener } from './metrics-listener.ts'

test('metrics and health are shown on a port of their own, and nothing else is', async () => {
  let isReady = true
  const listener = await startMetricsListener(
    createMetrics(),
    { host: '127.0.0.1', port: 0 },
    async () => isReady,
  )
  try {
    const answer = await fetch(`http://127.0.0.1:${listener.port}/metrics`)
    expect([answer.status, await answer.text()]).toEqual([
      200,
      expect.stringContaining('process_cpu_seconds'),
    ])
    const ask = async (path: string) => {
      const { status } = await fetch(`http://127.0.0.1:${listener.port}${path}`)
      return status
    }
    expect([await ask('/healthz'), await ask('/readyz')]).toEqual([200, 200])
    isReady = false
    expect([await ask('/healthz'), await ask('/readyz')]).toEqual([200, 503])
    expect(await ask('/')).toBe(404)
    await expect(
      startMetricsListener(createMetrics(), { host: '127.0.0.1', port: listener.port }, async () => true),
    ).rejects.toThrow('EADDRINUSE')
  } finally {
    await listener.close()
  }
})
