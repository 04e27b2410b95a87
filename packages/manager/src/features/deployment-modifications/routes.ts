import { inTransaction } from '@tutti/domain'
import {
  endDeploymentModification,
  getDeploymentModification,
  listDeploymentModifications,
  startDeploymentModification,
} from '@tutti/domain/deployment-modifications'
import type { Handlers } from '../../request.ts'

/** docs/reference/deployment-modifications.md */
export const deploymentModificationHandlers = {
  'deploymentModifications.list': (request) => listDeploymentModifications(request, request.list),

  'deploymentModifications.get': (request) =>
    getDeploymentModification(request, request.params.modification_id, request.include),

  async 'deploymentModifications.start'(request) {
    const id = await inTransaction(request, (actor, transaction) =>
      startDeploymentModification(actor, transaction, request.body),
    )
    return getDeploymentModification(request, id, request.include)
  },

  async 'deploymentModifications.finish'(request) {
    const { modification_id: id } = request.params
    await inTransaction(request, (actor, transaction) =>
      endDeploymentModification(actor, transaction, id, 'finish'),
    )
    return getDeploymentModification(request, id, request.include)
  },

  async 'deploymentModifications.rollback'(request) {
    const { modification_id: id } = request.params
    await inTransaction(request, (actor, transaction) =>
      endDeploymentModification(actor, transaction, id, 'rollback'),
    )
    return getDeploymentModification(request, id, request.include)
  },
} satisfies Partial<Handlers>
