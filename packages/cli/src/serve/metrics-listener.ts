import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from '@tutti/storage'
import { UsageError } from '../errors/usage-error.ts'

export type MetricsListener = { readonly port: number; close(): Promise<void> }

/**
 * Shows the metrics and the health of this process to whoever reaches the port: for a network of its own, where
 * Prometheus and whoever starts processes again are.
 *
 * @param isReady whether the process can do its work now, within a few seconds
 *
 * @throws UsageError when the address is taken
 */
export async function startMetricsListener(
  metrics: Registry,
  { host, port }: { readonly host: string; readonly port: number },
  isReady: () => Promise<boolean>,
): Promise<MetricsListener> {
  const healthy = (response: ServerResponse, status: string, code = 200) =>
    void response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify({ status }))
  const answers = new Map<string, (response: ServerResponse) => Promise<void>>([
    [
      '/metrics',
      async (response) => {
        const text = await metrics.metrics()
        response.writeHead(200, { 'content-type': metrics.contentType }).end(text)
      },
    ],
    ['/healthz', async (response) => healthy(response, 'ok')],
    [
      '/readyz',
      async (response) => {
        const ready = await isReady()
        healthy(response, ready ? 'ready' : 'not ready', ready ? 200 : 503)
      },
    ],
  ])
  const server = createServer((request, response) => {
    const [path] = (request.url ?? '').split('?')
    const answer = request.method === 'GET' ? answers.get(path ?? '') : undefined
    if (answer === undefined) return void response.writeHead(404).end()
    answer(response).catch(() => response.writeHead(500).end())
  })
  server.requestTimeout = 10_000
  server.maxConnections = 50
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(
      `Metrics cannot be shown on ${host}:${port} (${code})`,
      'Choose another --metrics-port or --metrics-host, or leave them out',
    )
  }
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
