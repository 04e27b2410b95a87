import type { Route } from '@tutti/api'
import type { FastifyRequest } from 'fastify'
import type { Request } from '../../request.ts'

/** A request that may change something works on a database that knows whose change it is. */
export function withAuditedDatabase(request: Request, route: Route, http: FastifyRequest): Request {
  if (route.method === 'GET') return request
  const { caller, services } = request
  const db = services.database.as({
    username: caller.username,
    executionId: caller.execution?.id,
    address: http.ip,
    requestId: http.id,
  })
  return { ...request, services: { ...services, db } }
}
