import { route } from './route.ts'

/** The file server, docs/reference/access.md, "The file server". */
export const resourceRoutes = {
  'resources.get': route({
    method: 'GET',
    path: '/resources/*',
    base: 'root',
    // `file_server_auth` is asked in the path's tenant, and not at all for global blueprints.
    permission: 'optional',
    tenant: 'none',
    reach: 'tenant',
    summary: 'Download a file of a blueprint or a deployment; the tenant is part of the path',
    response: 'file',
    status: 200,
  }),
  'resources.authorize': route({
    method: 'GET',
    path: '/file-server-auth',
    since: 'v3',
    permission: 'optional',
    tenant: 'none',
    reach: 'tenant',
    summary:
      'Check whether the caller may do what the headers X-Original-Uri and X-Original-Method say with a path below /resources',
    response: 'empty',
    status: 200,
  }),
} as const
