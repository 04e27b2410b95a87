import { badParameter, type Maintenance } from '@tutti/api'
import type { Actor } from '../actor.ts'
import type { Services } from '../services.ts'
import { beginMaintenance, endMaintenance, listRemaining, requestMaintenance } from './queries.ts'

const deactivated: Maintenance = {
  status: 'deactivated',
  activated_at: '',
  activation_requested_at: '',
  remaining_executions: null,
  requested_by: '',
}

export async function readMaintenanceMode(services: Services): Promise<Maintenance> {
  await proceed(services)
  const { current } = services.maintenance
  if (current === undefined) return deactivated
  const { requestedBy, requestedAt, activatedAt } = current
  return {
    status: activatedAt === null ? 'activating' : 'activated',
    activated_at: activatedAt?.toISOString() ?? '',
    activation_requested_at: requestedAt.toISOString(),
    remaining_executions: activatedAt === null ? await listRemaining(services.db) : null,
    requested_by: requestedBy,
  }
}

/**
 * Requested maintenance begins with the first request after the last execution has ended.
 *
 * A request that was let pass just before may start one afterwards: it then runs to its end like those before it.
 */
export async function proceed({ db, maintenance }: Services): Promise<void> {
  if (maintenance.current === undefined || maintenance.current.activatedAt !== null) return
  await beginMaintenance(db)
  await maintenance.refresh()
}

/** Undefined when it is so already. @throws bad_parameters_error */
export async function setMaintenanceMode(actor: Actor, action: string): Promise<Maintenance | undefined> {
  switch (action) {
    case 'activate':
      return activate(actor)
    case 'deactivate':
      return deactivate(actor)
    default:
      throw badParameter(`Invalid action: ${action}, Valid action values are: activate, deactivate`)
  }
}

async function activate({ services, caller }: Actor): Promise<Maintenance | undefined> {
  const isNew = await requestMaintenance(services.db, caller.username)
  await services.maintenance.refresh()
  return isNew ? readMaintenanceMode(services) : undefined
}

async function deactivate({ services }: Actor): Promise<Maintenance | undefined> {
  await services.maintenance.refresh()
  const before = await readMaintenanceMode(services)
  const wasOn = await endMaintenance(services.db, services.queue)
  await services.maintenance.refresh()
  return wasOn ? { ...before, status: 'deactivated' } : undefined
}
