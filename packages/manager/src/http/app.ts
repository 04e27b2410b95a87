import {
  builtRoutes,
  hasRoute,
  methodNotAllowed,
  notBuilt,
  type Route,
  type RouteName,
  routes,
  unknownRoute,
} from '@tutti/api'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Handlers } from '../request.ts'
import type { Services } from '../services.ts'
import { answerNoRequest } from './client-error.ts'
import { errorAnswer } from './errors.ts'
import { addOperationalRoutes } from './operational.ts'
import { answer } from './pipeline.ts'

/** Those that endpoints have, and those that only learn from us which these are. */
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

/** The versions that this release serves, by their prefix; `/api` alone is what clients ask for the version. */
const servedPrefixes = { '/api/v3.1': 'v3.1', '/api': 'v3.1' } as const

/** Prefixes whose adapters come later: they answer a clear error rather than "no such endpoint". */
const comingPrefixes = ['/api/v1', '/api/v2', '/api/v2.1', '/api/v3']

/** The whole REST service on a Fastify instance that is not listening yet. */
export function buildApp(services: Services, handlers: Handlers): FastifyInstance {
  const app = Fastify({
    loggerInstance: services.log,
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    // No shorter than Node lets a request line be: an id that is too long for us is not found, like any other.
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: true },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    clientErrorHandler: (error, socket) => answerNoRequest(error, socket),
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
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    return payload
  })

  addOperationalRoutes(app, services)
  addRoutes(app, services, handlers)
  for (const prefix of comingPrefixes) {
    const version = prefix.slice('/api/'.length)
    const refuse = async (request: FastifyRequest) => {
      throw notBuilt(request.method, `${pathOf(request)} (API ${version}; v3.1 is served)`)
    }
    app.all(prefix, refuse)
    app.all(`${prefix}/*`, refuse)
  }
  return app
}

function addRoutes(app: FastifyInstance, services: Services, handlers: Handlers): void {
  const byPath = new Map<string, Map<string, [string, Route]>>()
  const add = (path: string, name: string, route: Route) => {
    const here = byPath.get(path) ?? new Map<string, [string, Route]>()
    byPath.set(path, here)
    here.set(route.method, [name, route])
  }
  for (const [name, route] of Object.entries(routes)) {
    for (const path of [route.path, ...(route.aliases ?? [])]) {
      if (route.base === 'root') add(path, name, route)
      else
        for (const prefix of Object.keys(servedPrefixes))
          if (prefix !== '/api' || name === 'version.get') add(prefix + path, name, route)
    }
  }
  for (const [path, here] of byPath) {
    for (const method of methods) {
      const [name, route] = here.get(method) ?? []
      app.route({
        method,
        url: path,
        handler: async (request, reply) => {
          if (name === undefined || route === undefined || !hasRoute('v3.1', route.since)) {
            const allowed = [...here.keys()]
            reply.header('allow', allowed.join(', '))
            throw methodNotAllowed(method, pathOf(request), allowed)
          }
          if (!isBuilt(name)) throw notBuilt(method, pathOf(request))
          const body = await answer(services, handlers, name, route, request, reply)
          if (reply.sent || reply.raw.headersSent) return reply
          return send(reply, route, body)
        },
      })
    }
  }
}

function isBuilt(name: string): name is RouteName {
  return Object.hasOwn(builtRoutes, name)
}

/** `JSON.stringify` measured 1.5 times faster than schema serialisers on big lists (architecture 5). */
function send(reply: FastifyReply, route: Route, body: unknown): FastifyReply {
  if (body === undefined) return reply.code(204).send()
  // A handler may have chosen another success code, e.g. 204 for "nothing to record".
  if (reply.statusCode === 200) reply.code(route.status)
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(body))
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, body, isInternal } = errorAnswer(error)
  if (isInternal) request.log.error({ err: error, path: pathOf(request) }, 'request failed')
  if (status === 401) reply.header('www-authenticate', 'Basic realm="Tutti"')
  if (status === 503) reply.header('retry-after', '2')
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body))
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? request.url
}
