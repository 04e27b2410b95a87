import { Type } from 'typebox'
import type { Permission } from '../permissions/matrix.ts'
import type { ApiVersion, Route } from './route.ts'

/**
 * Endpoints of the specification that this release has not built: they answer `not_implemented`, so that a
 * client can tell them from a misspelt path.
 */
const documented: readonly (readonly [
  ApiVersion,
  Route['permission'],
  Route['tenant'],
  readonly `${Route['method']} /${string}`[],
])[] = [
  ...resource('plugins_update', 'v3.1', {
    list: ['GET /plugins-updates'],
    get: ['GET /plugins-updates/:update_id'],
    create: [
      'PUT /plugins-updates/:id/update/initiate',
      'POST /plugins-updates/:id/update/initiate',
      'POST /plugins-updates/:id/update/finalize',
    ],
  }),
  ...resource('blueprint', 'v3.1', {
    upload: ['PUT /blueprints/:blueprint_id/archive'],
  }),
  ...resource('execution_schedule', 'v3.1', {
    list: ['GET /execution-schedules', 'GET /summary/execution_schedules'],
    get: ['GET /execution-schedules/:id'],
    create: [
      'PUT /execution-schedules/:id',
      'PATCH /execution-schedules/:id',
      'DELETE /execution-schedules/:id',
    ],
  }),
  ...resource('snapshot', 'v2', {
    list: ['GET /snapshots'],
    get: ['GET /snapshots/:snapshot_id'],
    create: ['PUT /snapshots/:snapshot_id'],
    delete: ['DELETE /snapshots/:snapshot_id'],
    restore: ['POST /snapshots/:snapshot_id/restore'],
    download: ['GET /snapshots/:snapshot_id/archive'],
    upload: ['PUT /snapshots/:snapshot_id/archive'],
    status_update: ['PATCH /snapshots/:snapshot_id'],
  }),
  ...resource('log_bundle', 'v3.1', {
    list: ['GET /log-bundles'],
    get: ['GET /log-bundles/:id'],
    create: ['PUT /log-bundles/:id'],
    delete: ['DELETE /log-bundles/:id'],
    download: ['GET /log-bundles/:id/archive'],
    status_update: ['PATCH /log-bundles/:id'],
  }),
  ...tenantless('v3.1', [['anonymous', ['GET /snapshot-status']]]),
]

type Endpoints = readonly `${Route['method']} /${string}`[]

function resource(name: string, since: ApiVersion, verbs: Readonly<Record<string, Endpoints>>) {
  return Object.entries(verbs).map(
    ([verb, endpoints]) => [since, `${name}_${verb}` as Permission, 'required', endpoints] as const,
  )
}

function tenantless(since: ApiVersion, endpoints: readonly (readonly [Route['permission'], Endpoints])[]) {
  return endpoints.map(([permission, paths]) => [since, permission, 'none', paths] as const)
}

export const unbuiltRoutes: Readonly<Record<string, Route>> = Object.fromEntries(
  documented.flatMap(([since, permission, tenant, endpoints]) =>
    endpoints.map((endpoint) => {
      const [method, path] = endpoint.split(' ') as [Route['method'], string]
      const unbuilt: Route = {
        method,
        path,
        base: 'api',
        since,
        permission,
        tenant,
        reach: tenant === 'required' ? 'tenant' : 'manager',
        allTenants: false,
        summary: 'Not built yet',
        response: Type.Unknown(),
        status: 200,
        built: false,
      }
      return [endpoint, unbuilt]
    }),
  ),
)
