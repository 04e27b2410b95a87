import { ApiError, apiVersions, openapi } from '@tutti/api'
import { ping } from '@tutti/storage'
import type { FastifyInstance } from 'fastify'
import { Histogram } from 'prom-client'
import type { ManagerServices } from '../services.ts'
import { docsPage } from './docs-page.ts'

/** What operators and their tools ask, outside the API and without credentials. */
export function addOperationalRoutes(app: FastifyInstance, services: ManagerServices): void {
  const { metrics } = services
  const durations = new Histogram({
    name: 'tutti_http_request_duration_seconds',
    help: 'Time from the request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [metrics],
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    if (reply.statusCode === 507) services.diskSpace.noteFull()
    durations.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
    const level = reply.statusCode >= 500 ? 'error' : request.method === 'GET' ? 'debug' : 'info'
    request.log[level](
      {
        method: request.method,
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'request',
    )
  })

  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (request, reply) => {
    try {
      await ping(services.db)
      await services.diskSpace.check()
      return { status: 'ready' }
    } catch (error) {
      if (error instanceof ApiError && error.code === 'insufficient_storage_error') {
        request.log.error({ why: error.message }, 'not ready')
        return reply.code(503).send({ status: 'not ready', why: error.message })
      }
      request.log.warn({ err: error }, 'not ready: the database does not answer')
      return reply.code(503).send({ status: 'not ready', why: 'the database does not answer' })
    }
  })
  for (const version of apiVersions) {
    // Made when it is first asked for: it takes as long as all the rest of a manager's start.
    let document: string | undefined
    const paths =
      version === 'v3.1' ? ['/openapi.json', `/openapi/${version}.json`] : [`/openapi/${version}.json`]
    for (const path of paths) {
      app.get(path, async (_request, reply) => {
        document ??= JSON.stringify(openapi(version))
        return reply.type('application/json').send(document)
      })
    }
    let page: string | undefined
    const pages = version === 'v3.1' ? ['/docs', `/docs/${version}`] : [`/docs/${version}`]
    for (const path of pages) {
      app.get(path, async (_request, reply) => {
        page ??= docsPage(version)
        return reply.type('text/html; charset=utf-8').send(page)
      })
    }
  }
  app.get('/', async (_request, reply) => reply.redirect('/docs'))
}
