import { ApiError, type Route } from '@tutti/api'
import { proceed } from '@tutti/domain/maintenance'
import type { FastifyRequest } from 'fastify'
import type { Request } from '../../request.ts'
import type { ManagerServices } from '../../services.ts'

/**
 * What works during maintenance: the first part of a path (docs/reference/cluster-and-configuration.md, "Maintenance").
 */
const allowedInMaintenance: ReadonlySet<string | undefined> = new Set([
  'brokers',
  'cluster',
  'cluster-status',
  'config',
  'db-nodes',
  'file-server-auth',
  'license',
  'maintenance',
  'managers',
  'ok',
  'snapshot-status',
  'snapshots',
  'status',
  'version',
])

/** What would start something, while that which runs is waited for. */
const refusedBefore: ReadonlySet<string> = new Set([
  '/deployment-modifications',
  '/deployments/:deployment_id',
  '/executions',
  '/snapshots/:snapshot_id',
  '/snapshots/:snapshot_id/restore',
])
const startingMethods: ReadonlySet<string> = new Set(['PUT', 'POST', 'PATCH'])

/**
 * The authorized request, unless maintenance mode refuses it: it says so before it asks who is there. The header lets
 * those pass who may set the mode, and they must prove who they are first.
 *
 * @throws maintenance_mode_active, entering_maintenance_mode
 */
export async function unlessInMaintenance(
  services: ManagerServices,
  route: Route,
  http: FastifyRequest,
  authorize: () => Promise<Request>,
): Promise<Request> {
  const refusal = await refusalOf(services, route)
  if (refusal === undefined) return authorize()
  if (http.headers['x-bypass-maintenance'] === undefined) throw refusal
  const request = await authorize()
  if (!request.rights.holds('maintenance_mode_set')) throw refusal
  return request
}

async function refusalOf(services: ManagerServices, route: Route): Promise<ApiError | undefined> {
  if (services.maintenance.current === undefined || route.base === 'root') return undefined
  await proceed(services)
  const { current } = services.maintenance
  if (current === undefined) return undefined
  if (current.activatedAt === null) {
    if (!refusedBefore.has(route.path) || !startingMethods.has(route.method)) return undefined
    return new ApiError(
      'entering_maintenance_mode',
      'Your request was rejected since Cloudify manager is currently entering maintenance mode',
    )
  }
  if (allowedInMaintenance.has(route.path.split('/')[1])) return undefined
  return new ApiError(
    'maintenance_mode_active',
    'Your request was rejected since Cloudify manager is currently in maintenance mode',
  )
}
