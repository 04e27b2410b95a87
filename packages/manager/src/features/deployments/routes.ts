import { deploymentLabels } from '@tutti/storage'
import { listAnswer } from '../../list-answer.ts'
import { type Handlers, tenantOf } from '../../request.ts'
import { rulesOf } from '../filters/index.ts'
import { labelList } from '../labels/index.ts'
import { checkCreated, createDeployment } from './create.ts'
import { readCapabilities, readOutputs } from './outputs.ts'
import { readExecutionEnd } from './queries.ts'
import {
  getDeployment,
  listDeployments,
  patchDeployment,
  setDeploymentSite,
  setDeploymentVisibility,
  startDeletion,
} from './service.ts'

/** spec/rest-spec-a.md 4.3, spec/rest-facts-a.md 8 */
export const deploymentHandlers = {
  async 'deployments.list'(request) {
    const rules = await rulesOf(request, 'deployments', [request.list.filterId])
    return listAnswer(request.list, await listDeployments(request, request.list, request.options, rules))
  },

  async 'deployments.get'(request) {
    const { params, options, include } = request
    return getDeployment(request, params.deployment_id, include, options.all_sub_deployments)
  },

  async 'deployments.create'(request) {
    const { deployment_id: id } = request.params
    const { db, ends, settings } = request.services
    const executionId = await createDeployment(request, id, request.body, request.options)
    if (!request.options.async_create) {
      const tenantId = tenantOf(request).id
      await ends.wait(tenantId, executionId, settings.waitMs)
      checkCreated(id, await readExecutionEnd(db, tenantId, executionId))
    }
    return getDeployment(request, id, request.include)
  },

  async 'deployments.update'(request) {
    await patchDeployment(request, request.params.deployment_id, request.body)
    return getDeployment(request, request.params.deployment_id, request.include)
  },

  async 'deployments.delete'(request) {
    const { force, delete_logs, recursive } = request.options
    await startDeletion(request, request.params.deployment_id, {
      force: force ?? false,
      deleteLogs: delete_logs ?? false,
      recursive: recursive ?? false,
    })
  },

  async 'deployments.setVisibility'(request) {
    await setDeploymentVisibility(request, request.params.deployment_id, request.body.visibility)
    return getDeployment(request, request.params.deployment_id, request.include)
  },

  async 'deployments.setSite'(request) {
    await setDeploymentSite(request, request.params.deployment_id, request.body)
    return getDeployment(request, request.params.deployment_id, request.include)
  },

  'deployments.outputs': (request) => readOutputs(request, request.params.deployment_id),
  'deployments.capabilities': (request) => readCapabilities(request, request.params.deployment_id),

  'labels.deployments.keys': (request) => labelList(request, deploymentLabels),
  'labels.deployments.values': (request) => labelList(request, deploymentLabels, request.params.label_key),
} satisfies Partial<Handlers>
