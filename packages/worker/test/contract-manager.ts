import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

type Fields = Record<string, unknown>

/** A real HTTP server that speaks the REST calls which an operation makes: a double of the contract, in memory. */
export type ContractManager = {
  readonly port: number
  readonly runtimeProperties: Fields
  readonly logs: readonly string[]
  /** Path below `/resources/` → content. */
  readonly files: Record<string, string>
  close(): Promise<void>
}

export async function startContractManager(): Promise<ContractManager> {
  const instance = { id: 'web_1', node_id: 'web', version: 1, index: 1, state: 'creating', relationships: [] }
  const node = { id: 'web', type: 'test.Node', type_hierarchy: ['test.Node'], properties: { port: 8080 } }
  const runtimeProperties: Fields = {}
  const logs: string[] = []
  const files: Record<string, string> = {}

  const answer = (method: string, path: string, body: string): [number, unknown] => {
    if (path.startsWith('/resources/')) {
      const content = files[decodeURIComponent(path.slice('/resources/'.length))]
      return content === undefined ? [404, { message: 'no such file' }] : [200, content]
    }
    if (path === '/api/v3.1/nodes') return [200, { items: [node], metadata: {} }]
    if (path === '/api/v3.1/events') {
      for (const { message } of JSON.parse(body).logs) logs.push(message.text)
      return [201, null]
    }
    if (path !== '/api/v3.1/node-instances/web_1') return [404, { message: `there is no ${path}` }]
    if (method === 'PATCH') Object.assign(runtimeProperties, JSON.parse(body).runtime_properties)
    return [200, { ...instance, runtime_properties: runtimeProperties }]
  }

  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    const body = await bodyOf(request)
    // Whoever asked was killed while it did.
    if (body === null) return
    const [status, content] = answer(request.method ?? 'GET', path, body)
    response.writeHead(status)
    response.end(typeof content === 'string' ? content : JSON.stringify(content))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    runtimeProperties,
    logs,
    files,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Null when the connection ended before it. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  let text = ''
  try {
    for await (const chunk of request) text += chunk
  } catch (error) {
    if (request.destroyed) return null
    throw error
  }
  return text
}
