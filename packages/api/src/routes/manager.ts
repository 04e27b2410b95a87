import { Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { JsonObject } from '../shapes/common.ts'
import { Maintenance, ProviderContext, Status, Version } from '../shapes/manager.ts'
import { route } from './route.ts'

/** What tells about the manager itself; none of it belongs to a tenant (spec/rest-facts-b.md 11 and 12). */
export const managerRoutes = {
  'version.get': route({
    method: 'GET',
    path: '/version',
    permission: 'version_get',
    tenant: 'none',
    summary: 'Get the version of the manager',
    fields: fieldTable(Version),
    response: Version,
    status: 200,
  }),
  'status.get': route({
    method: 'GET',
    path: '/status',
    permission: 'status_get',
    tenant: 'none',
    summary: 'Get the status of the manager and its services',
    fields: fieldTable(Status),
    query: Type.Object({ summary: Type.Optional(Type.Boolean()) }),
    response: Status,
    status: 200,
  }),
  'ok.get': route({
    method: 'GET',
    path: '/ok',
    permission: 'anonymous',
    tenant: 'none',
    summary: 'Check that the manager answers',
    response: Type.String(),
    status: 200,
  }),
  'maintenance.get': route({
    method: 'GET',
    path: '/maintenance',
    permission: 'maintenance_mode_get',
    tenant: 'none',
    summary: 'Get the state of maintenance mode',
    response: Maintenance,
    status: 200,
  }),
  'maintenance.set': route({
    method: 'POST',
    path: '/maintenance/:action',
    permission: 'maintenance_mode_set',
    tenant: 'none',
    summary: 'Enter or leave maintenance mode: the action is activate or deactivate',
    response: Maintenance,
    status: 200,
  }),
  'providerContext.get': route({
    method: 'GET',
    path: '/provider/context',
    permission: 'provider_context_get',
    tenant: 'none',
    summary: 'Get the provider context',
    fields: fieldTable(ProviderContext),
    response: ProviderContext,
    status: 200,
  }),
  'providerContext.set': route({
    method: 'POST',
    path: '/provider/context',
    permission: 'provider_context_create',
    tenant: 'none',
    summary: 'Set the provider context',
    query: Type.Object({ update: Type.Optional(Type.Boolean()) }),
    body: Type.Object({ name: Type.String(), context: JsonObject }),
    response: Type.Object({ status: Type.String() }),
    status: 201,
  }),
  'resources.get': route({
    method: 'GET',
    path: '/resources/*',
    base: 'root',
    // `file_server_auth` is asked in the path's tenant, and not at all for global blueprints.
    permission: 'authenticated',
    tenant: 'none',
    summary: 'Download a file of a blueprint or a deployment; the tenant is part of the path',
    response: 'file',
    status: 200,
  }),
} as const
