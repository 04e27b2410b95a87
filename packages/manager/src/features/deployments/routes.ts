import { inTransaction } from '@tutti/domain'
import { verifyDeployment } from '@tutti/domain/deployment-modifications'
import {
  changeDeployment,
  createDeployment,
  getDeployment,
  listDeployments,
  readCapabilities,
  readOutputs,
  setDeploymentSite,
  setDeploymentVisibility,
  startDeletion,
  withWorkdir,
} from '@tutti/domain/deployments'
import { rulesOf } from '@tutti/domain/filters'
import type { Handlers } from '../../request.ts'

/** docs/reference/deployments.md */
export const deploymentHandlers = {
  async 'deployments.list'(request) {
    const rules = await rulesOf(request, 'deployments', [request.list.filterId])
    return listDeployments(request, request.list, request.options, rules)
  },

  async 'deployments.get'(request) {
    const { params, options, include } = request
    const deployment = await getDeployment(
      request,
      params.deployment_id,
      include,
      options.all_sub_deployments,
    )
    return options.include_workdir ? withWorkdir(request, params.deployment_id, deployment.item) : deployment
  },

  async 'deployments.create'(request) {
    await createDeployment(request, request.params.deployment_id, request.body, request.options)
    return getDeployment(request, request.params.deployment_id, request.include)
  },

  async 'deployments.update'(request) {
    await inTransaction(request, (actor, transaction) =>
      changeDeployment(actor, transaction, request.params.deployment_id, request.body),
    )
    return getDeployment(request, request.params.deployment_id, request.include)
  },

  async 'deployments.delete'(request) {
    const { force, delete_logs, recursive } = request.options
    await inTransaction(request, (actor, transaction) =>
      startDeletion(actor, transaction, request.params.deployment_id, {
        force: force ?? false,
        deleteLogs: delete_logs ?? false,
        recursive: recursive ?? false,
      }),
    )
  },

  async 'deployments.setVisibility'(request) {
    await inTransaction(request, (actor, transaction) =>
      setDeploymentVisibility(actor, transaction, request.params.deployment_id, request.body.visibility),
    )
    return getDeployment(request, request.params.deployment_id, request.include)
  },

  async 'deployments.setSite'(request) {
    await inTransaction(request, (actor, transaction) =>
      setDeploymentSite(actor, transaction, request.params.deployment_id, request.body),
    )
    return getDeployment(request, request.params.deployment_id, request.include)
  },

  'deployments.outputs': (request) => readOutputs(request, request.params.deployment_id),
  'deployments.capabilities': (request) => readCapabilities(request, request.params.deployment_id),
  'deployments.verify': (request) => verifyDeployment(request, request.params.deployment_id),
} satisfies Partial<Handlers>
