import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import {
  ApiError,
  builtRoutes,
  type QueryValues,
  type Route,
  type RouteName,
  type RouteResponse,
  unknownRoute,
} from '@tutti/api'

/** What a handler sees of a request. */
export type ContractRequest = {
  readonly params: Readonly<Record<string, string>>
  readonly query: QueryValues
  readonly headers: IncomingMessage['headers']
  /** The JSON body, undefined for archives. */
  readonly body: unknown
  readonly bytes: Buffer
}

type Answer<Name extends RouteName> =
  | (RouteResponse<Name> extends 'file' ? Buffer : RouteResponse<Name>)
  | Promise<RouteResponse<Name>>

/** Handlers by route name; a route without one answers 404. They may throw ApiError. */
export type ContractHandlers = {
  readonly [Name in RouteName]?: (request: ContractRequest) => Answer<Name>
}

export type ContractServer = {
  readonly url: string
  /** `METHOD /path?query` of every request so far. */
  readonly requests: readonly string[]
  readonly close: () => Promise<void>
}

/**
 * A real HTTP server that speaks the wire contract of `@tutti/api` and answers what a test says: paths,
 * statuses and error bodies come from the route table and the catalogue.
 */
export async function startContractServer(handlers: ContractHandlers): Promise<ContractServer> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    handle(handlers, request, response).catch((error: unknown) => {
      if (error instanceof ApiError) send(response, error.status, error.toBody())
      else send(response, 500, new ApiError('internal_server_error', String(error)).toBody())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function handle(
  handlers: ContractHandlers,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const bytes = await buffer(request)
  for (const [name, route] of Object.entries(builtRoutes) as [RouteName, Route][]) {
    const params = match(route, request.method ?? '', url.pathname)
    const handler = handlers[name]
    if (params === undefined || handler === undefined) continue
    const isJson = request.headers['content-type'] === 'application/json' && bytes.length > 0
    const answer = await handler({
      params,
      query: queryOf(url),
      headers: request.headers,
      body: isJson ? JSON.parse(bytes.toString()) : undefined,
      bytes,
    })
    send(response, route.status, answer)
    return
  }
  throw unknownRoute(request.method ?? '', url.pathname)
}

function match(route: Route, method: string, path: string): Readonly<Record<string, string>> | undefined {
  if (route.method !== method) return undefined
  const pattern = route.path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)').replace(/\*$/, '.*')
  const found = new RegExp(`^${route.base === 'root' ? '' : '/api/v3.1'}${pattern}$`).exec(path)
  if (found === null) return undefined
  const groups = Object.entries(found.groups ?? {}).map(([key, value]) => [key, decodeURIComponent(value)])
  return Object.fromEntries(groups) as Readonly<Record<string, string>>
}

function queryOf(url: URL): QueryValues {
  const keys = [...new Set(url.searchParams.keys())]
  return Object.fromEntries(keys.map((key) => [key, url.searchParams.getAll(key)]))
}

function send(response: ServerResponse, status: number, answer: unknown): void {
  if (answer instanceof Buffer) {
    response.writeHead(status, {
      'content-type': 'application/octet-stream',
      'content-length': answer.length,
      'content-disposition': 'attachment; filename="archive.tar.gz"',
    })
    response.end(answer)
  } else if (answer === undefined) {
    response.writeHead(status).end()
  } else {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  }
}
