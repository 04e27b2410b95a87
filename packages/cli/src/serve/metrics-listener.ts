import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from '@tutti/storage'
import { UsageError } from '../errors/usage-error.ts'

export type MetricsListener = { readonly port: number; close(): Promise<void> }

/**
 * Shows the metrics of this process to whoever reaches the port: for a network of its own, where Prometheus is.
 *
 * @throws UsageError when the address is taken
 */
export async function startMetricsListener(
  metrics: Registry,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<MetricsListener> {
  const server = createServer((request, response) => {
    const [path] = (request.url ?? '').split('?')
    if (path !== '/metrics' || request.method !== 'GET') return void response.writeHead(404).end()
    metrics.metrics().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
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
