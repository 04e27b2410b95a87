import {
  ApiError,
  badParameter,
  type ListAnswer,
  type ListQuery,
  notFound,
  pickIncluded,
  type RouteBody,
} from '@tutti/api'
import { claimEventBatch } from '@tutti/storage'
import { type Actor, ownTenantScope, tenantOf, tenantScope } from '../actor.ts'
import { deleteEvents, insertSentEvents, listEventRows } from './queries.ts'
import { parseRecord } from './record.ts'
import { parseEventFilters } from './selection.ts'

/** @throws bad_parameters_error */
export function listEvents(actor: Actor, list: ListQuery): ListAnswer {
  const { services } = actor
  const filters = parseEventFilters(list, services.config.get('event_vocabulary'))
  const query = { ...filters, scope: tenantScope(actor) }
  const events = listEventRows(services.db, query, list, filters.vocabulary)
  return list.include === undefined ? events : events.map((event) => pickIncluded(event, list.include))
}

/** Returns false when there was nothing to record. */
export async function createEvents(actor: Actor, body: RouteBody<'events.create'>): Promise<boolean> {
  const target = targetOf(actor, body)
  const mayDate = actor.rights.holds('set_timestamp')
  const records = [
    ...(body.events ?? []).map((event) => parseRecord('event', event, mayDate)),
    ...(body.logs ?? []).map((log) => parseRecord('log', log, mayDate)),
  ]
  if (records.length === 0) return false
  const batch = body.batch_id ?? undefined
  await actor.services.db.transaction().execute(async (transaction) => {
    // A sender whose answer got lost sends it again.
    const isNew = batch === undefined || (await claimEventBatch(transaction, tenantOf(actor).id, batch))
    if (!isNew) return
    const written = await insertSentEvents(
      transaction,
      { scope: ownTenantScope(actor), ...target },
      records,
      { managerName: body.manager_name ?? null, agentName: body.agent_name ?? null },
    )
    if (written > 0) return
    throw 'executionId' in target
      ? notFound('Execution', target.executionId)
      : notFound('ExecutionGroup', target.executionGroupId)
  })
  return true
}

/** The execution or the group that is named, else the execution whose token the request carries. */
function targetOf({ caller }: Actor, body: RouteBody<'events.create'>) {
  const group = body.execution_group_id ?? undefined
  const named = body.execution_id ?? (group === undefined ? caller.execution?.id : undefined)
  if ((named === undefined) === (group === undefined)) {
    throw new ApiError('conflict_error', 'Pass exactly one of execution_id and execution_group_id')
  }
  return named === undefined ? { executionGroupId: group ?? '' } : { executionId: named }
}

/** Deletes events of deployments, of the request's tenant only; returns how many. */
export async function removeEvents(actor: Actor, list: ListQuery, storeBefore: boolean): Promise<number> {
  const filters = parseEventFilters(list, 'svc')
  if (!filters.equal.some(({ field }) => field === 'deployment_id')) {
    throw badParameter('deployment_id is required to delete events')
  }
  if (!filters.namesEvents) {
    throw badParameter('The type of the events to delete is required', {
      hint: 'Pass type=svc_event, and type=svc_log as well to delete logs too',
    })
  }
  if (storeBefore) {
    throw new ApiError(
      'not_implemented',
      'Writing events to files before they are deleted is not built yet',
      {
        hint: 'Read them with GET /events first, and delete without store_before',
      },
    )
  }
  return deleteEvents(actor.services.db, { ...filters, scope: ownTenantScope(actor) })
}
