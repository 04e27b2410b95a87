import { readMaintenanceMode, setMaintenanceMode } from '@tutti/domain/maintenance'
import type { Handlers } from '../../request.ts'

/** docs/reference/cluster-and-configuration.md, "Maintenance" */
export const maintenanceHandlers = {
  'maintenance.get': ({ services }) => readMaintenanceMode(services),

  async 'maintenance.set'(request) {
    const state = await setMaintenanceMode(request, request.params.action)
    return state ?? request.reply.code(304).send()
  },
} satisfies Partial<Handlers>
