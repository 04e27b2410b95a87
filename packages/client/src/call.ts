import {
  builtRoutes,
  isErrorCode,
  type Route,
  type RouteBody,
  type RouteName,
  type RouteParams,
  type RouteQuery,
  type RouteResponse,
} from '@tutti/api'
import { type Connection, connectionHeaders } from './connection.ts'
import { ClientError, ConnectionError } from './errors.ts'

export type QueryValue = string | number | boolean | null | undefined | readonly string[]

/** Bytes to send or received, read once. */
export type Bytes = ReadableStream<Uint8Array>

/** A file that the manager sends. */
export type Download = {
  readonly filename: string | undefined
  /** In bytes, where the manager says it. */
  readonly size: number | undefined
  readonly bytes: Bytes
}

export type Query<Name extends RouteName> = {
  readonly [Key in keyof RouteQuery<Name>]?: RouteQuery<Name>[Key] | undefined
} & Readonly<Record<string, QueryValue>>

export type CallOptions<Name extends RouteName> = {
  readonly params?: RouteParams<Name>
  /** The endpoint's own parameters, list parameters and filters; null and undefined are left out. */
  readonly query?: Query<Name>
  readonly body?: RouteBody<Name> extends 'archive' ? Bytes : RouteBody<Name>
  readonly signal?: AbortSignal | undefined
}

export type CallResult<Name extends RouteName> =
  RouteResponse<Name> extends 'file' ? Download : RouteResponse<Name>

/**
 * Calls an endpoint by its name in the route table.
 *
 * @throws ClientError when the manager refuses, ConnectionError when there is no answer
 */
export type Call = <Name extends RouteName>(
  name: Name,
  options?: CallOptions<Name>,
) => Promise<CallResult<Name>>

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export function createCall(connection: Connection, fetch: Fetch = globalThis.fetch): Call {
  return async (name, options = {}) => {
    const route: Route = builtRoutes[name]
    const request = `${route.method} ${pathOf(route, options.params ?? {})}`
    const url = addressOf(connection, route, options.params ?? {}, options.query ?? {})
    const response = await answer(fetch, connection, url, init(connection, route, options))
    if (!response.ok) throw await refusal(request, response)
    return (await read(request, route, response)) as CallResult<typeof name>
  }
}

function init(
  connection: Connection,
  route: Route,
  options: { readonly body?: unknown; readonly signal?: AbortSignal | undefined },
): RequestInit {
  const common = {
    method: route.method,
    signal: options.signal ?? null,
    headers: { ...connectionHeaders(connection), accept: 'application/json' },
  }
  if (options.body === undefined) return common
  if (options.body instanceof ReadableStream) {
    const headers = { ...common.headers, 'content-type': 'application/octet-stream' }
    return { ...common, headers, body: options.body, duplex: 'half' }
  }
  const headers = { ...common.headers, 'content-type': 'application/json' }
  return { ...common, headers, body: JSON.stringify(options.body) }
}

const pathOf = (route: Route, params: Readonly<Record<string, string>>): string =>
  route.path.replaceAll(/:(\w+)|\*$/g, (part, name?: string) =>
    name === undefined ? (params[part] ?? '') : encodeURIComponent(params[name] ?? ''),
  )

function addressOf(
  { url }: Connection,
  route: Route,
  params: Readonly<Record<string, string>>,
  query: Readonly<Record<string, QueryValue>>,
): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one) => one !== undefined && one !== null)
      .map((one): [string, string] => [key, String(one)]),
  )
  const search = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
  const base = route.base === 'root' ? '' : '/api/v3.1'
  return `${url.replace(/\/+$/, '')}${base}${pathOf(route, params)}${search}`
}

async function answer(
  fetch: Fetch,
  connection: Connection,
  url: string,
  request: RequestInit,
): Promise<Response> {
  try {
    return await fetch(url, request)
  } catch (error) {
    if (request.signal?.aborted === true) throw error
    throw new ConnectionError(connection.url, reasonOf(error), error)
  }
}

/** `fetch failed` hides the reason in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message
}

async function refusal(request: string, response: Response): Promise<ClientError> {
  const text = await response.text()
  const body = parseJson(text)
  const field = (name: string): string | undefined => {
    const value =
      typeof body === 'object' && body !== null
        ? (body as Readonly<Record<string, unknown>>)[name]
        : undefined
    return typeof value === 'string' ? value : undefined
  }
  const code = field('error_code') ?? ''
  return new ClientError({
    status: response.status,
    code: isErrorCode(code) ? code : 'unknown',
    message:
      field('message') ?? field('detail') ?? `${request} answered ${response.status}: ${text.slice(0, 200)}`,
    hint: field('hint'),
    request,
    body: body ?? text,
  })
}

async function read(request: string, route: Route, response: Response): Promise<unknown> {
  if (route.response === 'file') return readFile(response)
  const text = await response.text()
  if (route.response === 'empty' || response.status === 204) return undefined
  const body = parseJson(text)
  if (body !== undefined) return body
  throw new ClientError({
    status: response.status,
    code: 'unknown',
    message: `${request} answered something that is not JSON: ${text.slice(0, 200)}`,
    hint: 'Is this the address of a manager, and not of a proxy or another server?',
    request,
    body: text,
  })
}

function readFile(response: Response): Download {
  const size = response.headers.get('content-length')
  const named = /filename="([^"]*)"/.exec(response.headers.get('content-disposition') ?? '')
  return {
    filename: named?.[1],
    size: size === null ? undefined : Number(size),
    bytes: response.body ?? new ReadableStream(),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
