import { createMetrics } from '@tutti/storage'
import { expect, test } from 'vitest'
import { startMetricsListener } from './metrics-listener.ts'

test('metrics are shown on a port of their own, and nothing else is', async () => {
  const listener = await startMetricsListener(createMetrics(), { host: '127.0.0.1', port: 0 })
  try {
    const answer = await fetch(`http://127.0.0.1:${listener.port}/metrics`)
    expect([answer.status, await answer.text()]).toEqual([
      200,
      expect.stringContaining('process_cpu_seconds'),
    ])
    expect((await fetch(`http://127.0.0.1:${listener.port}/`)).status).toBe(404)
    await expect(
      startMetricsListener(createMetrics(), { host: '127.0.0.1', port: listener.port }),
    ).rejects.toThrow('EADDRINUSE')
  } finally {
    await listener.close()
  }
})
