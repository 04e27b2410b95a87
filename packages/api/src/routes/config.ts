import { Type } from 'typebox'
import { Config, ConfigItem } from '../shapes/manager.ts'
import { route } from './route.ts'

/** docs/reference/cluster-and-configuration.md, "Configuration". */
export const configRoutes = {
  'config.list': route({
    method: 'GET',
    path: '/config',
    since: 'v3.1',
    permission: 'manager_config_get',
    tenant: 'none',
    reach: 'everybody',
    summary: 'Get the configuration of the manager',
    query: Type.Object({ scope: Type.Optional(Type.String()) }),
    response: Config,
    status: 200,
  }),
  'config.get': route({
    method: 'GET',
    path: '/config/:name',
    since: 'v3.1',
    permission: 'manager_config_get',
    tenant: 'none',
    reach: 'everybody',
    summary: 'Get a setting, by its name or by scope.name',
    response: ConfigItem,
    status: 200,
  }),
  'config.set': route({
    method: 'PUT',
    path: '/config/:name',
    since: 'v3.1',
    permission: 'manager_config_put',
    tenant: 'none',
    reach: 'manager',
    summary: 'Change a setting; it takes effect at once, in every process',
    body: Type.Object({ value: Type.Unknown(), force: Type.Optional(Type.Boolean()) }),
    response: ConfigItem,
    status: 200,
  }),
} as const
