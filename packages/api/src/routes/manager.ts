import { Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { JsonObject } from '../shapes/common.ts'
import { ProviderContext, Version } from '../shapes/manager.ts'
import { route } from './route.ts'

/**
 * What tells about the manager itself; none of it belongs to a tenant (docs/reference/cluster-and-configuration.md,
 * "Status" and "Provider context").
 */
export const managerRoutes = {
  'version.get': route({
    method: 'GET',
    path: '/version',
    permission: 'version_get',
    tenant: 'none',
    reach: 'everybody',
    summary: 'Get the version of the manager',
    fields: fieldTable(Version),
    response: Version,
    status: 200,
  }),
  'providerContext.get': route({
    method: 'GET',
    path: '/provider/context',
    permission: 'provider_context_get',
    tenant: 'none',
    reach: 'everybody',
    summary: 'Get the provider context',
    fields: fieldTable(ProviderContext),
    response: ProviderContext,
    status: 200,
  }),
  'providerContext.set': route({
    method: 'POST',
    path: '/provider/context',
    // What it says, such as from where imports come, holds for all tenants: not for everybody to set.
    permission: 'manager_config_put',
    tenant: 'none',
    reach: 'manager',
    summary: 'Set the provider context',
    query: Type.Object({ update: Type.Optional(Type.Boolean()) }),
    body: Type.Object({ name: Type.String(), context: JsonObject }),
    response: Type.Object({ status: Type.String() }),
    status: 201,
  }),
  'metrics.get': route({
    method: 'GET',
    path: '/metrics',
    base: 'root',
    since: 'v3.1',
    permission: 'monitoring',
    tenant: 'ignored',
    reach: 'manager',
    summary: 'Metrics of this manager for Prometheus',
    response: 'file',
    status: 200,
  }),
  'monitoring.authorize': route({
    method: 'GET',
    path: '/monitoring-auth',
    since: 'v3.1',
    permission: 'monitoring',
    credentials: 'cookie',
    tenant: 'ignored',
    reach: 'manager',
    summary: 'Check whether the token in the cookie XSRF-TOKEN is that of a user who may see the monitoring',
    response: 'empty',
    status: 200,
  }),
} as const
