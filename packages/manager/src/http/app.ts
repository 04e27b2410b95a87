import { randomUUID } from 'node:crypto'
import {
  apiVersions,
  builtRoutes,
  ItemAnswer,
  ListAnswer,
  methodNotAllowed,
  notBuilt,
  type Reading,
  type Route,
  type RouteName,
  routesOf,
  unknownRoute,
  type VersionRoute,
} from '@tutti/api'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Handlers } from '../request.ts'
import type { ManagerServices } from '../services.ts'
import { isAbandoned } from './body.ts'
import { answerNoRequest } from './client-error.ts'
import { errorAnswer } from './errors.ts'
import { addOperationalRoutes } from './operational.ts'
import { answer } from './pipeline.ts'
import { sendItem, sendList } from './send-list.ts'

/** Those that endpoints have, and those that only learn from us which these are. */
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

/** Answers are data: nothing in them is to be guessed at, framed, run or kept by whoever shows them. */
const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const

/** The whole REST service on a Fastify instance that is not listening yet. */
export function buildApp(
  services: ManagerServices,
  handlers: Handlers,
  tls?: { readonly cert: Buffer; readonly key: Buffer },
): FastifyInstance {
  const { trustedProxies } = services.settings
  const app = Fastify({
    ...(tls !== undefined && { https: tls }),
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    loggerInstance: services.log,
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    // No shorter than Node lets a request line be: an id that is too long for us is not found, like any other.
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: true },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    clientErrorHandler: (error, socket) => answerNoRequest(error, socket),
    genReqId: (raw) => requestId(raw.headers['x-request-id']),
    requestIdHeader: false,
    forceCloseConnections: 'idle',
  })
  // Bodies are read by the pipeline, by what the route says: clients name application/json on uploads too, or nothing
  // that is a type at all. Fastify is shown one that it lets pass.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.addHook('onRequest', async (request) => {
    request.headers = { 'content-type': 'application/octet-stream' }
  })

  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  app.setNotFoundHandler((request, reply) =>
    sendError(unknownRoute(request.method, pathOf(request)), request, reply),
  )
  app.addHook('onSend', async (request, reply, payload) => {
    reply.headers({ 'x-request-id': request.id, ...securityHeaders })
    return payload
  })

  addOperationalRoutes(app, services)
  addRoutes(app, services, handlers)
  return app
}

/** `/api` alone is where clients ask for the version. */
const unversioned = 'version.get'

function addRoutes(app: FastifyInstance, services: ManagerServices, handlers: Handlers): void {
  const byPath = new Map<string, Map<string, VersionRoute>>()
  const add = (path: string, served: VersionRoute) => {
    const here = byPath.get(path) ?? new Map<string, VersionRoute>()
    byPath.set(path, here)
    if (!here.has(served.route.method)) here.set(served.route.method, served)
  }
  for (const version of apiVersions) {
    for (const served of routesOf(version)) {
      const { name, route } = served
      for (const path of [route.path, ...(route.aliases ?? [])]) {
        if (route.base === 'api') add(`/api/${version}${path}`, served)
        else if (version === 'v3.1') add(path, served)
      }
      if (name === unversioned && version === 'v3.1') add(`/api${route.path}`, served)
    }
  }
  for (const [path, here] of byPath) {
    // One route for all methods: a route for each took most of the time in which a manager starts.
    app.route({
      method: [...methods],
      url: path,
      handler: async (request, reply) => {
        const { method } = request
        const served = here.get(method)
        if (served === undefined) {
          const allowed = [...here.keys()]
          reply.header('allow', allowed.join(', '))
          throw methodNotAllowed(method, pathOf(request), allowed)
        }
        if (!isBuilt(served.name)) throw notBuilt(method, pathOf(request))
        const { body, reading } = await answer(
          services,
          handlers,
          { ...served, name: served.name },
          request,
          reply,
        )
        if (reply.sent || reply.raw.headersSent) return reply
        return send(reply, served.route, body, reading)
      },
    })
  }
}

/** The client's own, where it sends one that is fit for a log. */
function requestId(sent: string | readonly string[] | undefined): string {
  return typeof sent === 'string' && /^[\w.:/+=-]{1,128}$/.test(sent) ? sent : randomUUID()
}

function isBuilt(name: string): name is RouteName {
  return Object.hasOwn(builtRoutes, name)
}

function send(
  reply: FastifyReply,
  route: Route,
  body: unknown,
  reading: Reading,
): FastifyReply | Promise<FastifyReply> {
  if (body === undefined) return reply.code(204).send()
  // A handler may have chosen another success code, e.g. 204 for "nothing to record".
  if (reply.statusCode === 200) reply.code(route.status)
  reply.type('application/json; charset=utf-8')
  if (body instanceof ListAnswer) return sendList(reply, body, reading)
  return body instanceof ItemAnswer ? sendItem(reply, body) : reply.send(Buffer.from(JSON.stringify(body)))
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, body, isInternal, retryAfterSeconds } = errorAnswer(error)
  if (isInternal) request.log.error({ err: error, path: pathOf(request) }, 'request failed')
  if (status === 401) reply.header('www-authenticate', 'Basic realm="Tutti"')
  if (isAbandoned(request.raw)) reply.header('connection', 'close')
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
  else if (status === 503) reply.header('retry-after', '2')
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body))
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? request.url
}
