import { inTransaction } from '@tutti/domain'
import {
  getUpdate,
  initiateUpdate,
  listUpdates,
  patchUpdate,
  recordUpdate,
} from '@tutti/domain/deployment-updates'
import type { Handlers } from '../../request.ts'

const initiate: Handlers['deploymentUpdates.initiate'] = async (request) => {
  const id = await initiateUpdate(request, request.params.deployment_id, request.body)
  return getUpdate(request, id, request.include)
}

/** docs/reference/deployment-updates.md */
export const deploymentUpdateHandlers = {
  'deploymentUpdates.list': (request) => listUpdates(request, request.list),

  'deploymentUpdates.get': (request) => getUpdate(request, request.params.update_id, request.include),

  'deploymentUpdates.initiate': initiate,
  'deploymentUpdates.initiateByPut': initiate,

  async 'deploymentUpdates.put'(request) {
    const { update_id: id } = request.params
    await inTransaction(request, (actor, transaction) => recordUpdate(actor, transaction, id, request.body))
    return getUpdate(request, id, request.include)
  },

  async 'deploymentUpdates.update'(request) {
    const { update_id: id } = request.params
    await inTransaction(request, (actor, transaction) => patchUpdate(actor, transaction, id, request.body))
    return getUpdate(request, id, request.include)
  },

  'deploymentUpdates.finalize': (request) => getUpdate(request, request.params.update_id, request.include),
} satisfies Partial<Handlers>
