import { Maintenance } from '../shapes/manager.ts'
import { route } from './route.ts'

/** docs/reference/cluster-and-configuration.md, "Maintenance". */
export const maintenanceRoutes = {
  'maintenance.get': route({
    method: 'GET',
    path: '/maintenance',
    permission: 'maintenance_mode_get',
    tenant: 'none',
    reach: 'everybody',
    summary: 'Get the state of maintenance mode',
    response: Maintenance,
    status: 200,
  }),
  'maintenance.set': route({
    method: 'POST',
    path: '/maintenance/:action',
    permission: 'maintenance_mode_set',
    tenant: 'none',
    reach: 'manager',
    summary: 'Enter or leave maintenance mode: the action is activate or deactivate',
    response: Maintenance,
    status: 200,
  }),
} as const
