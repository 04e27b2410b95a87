import { inTransaction } from '@tutti/domain'
import { changeMembers, getGroup, listGroups, putGroup, removeGroup } from '@tutti/domain/deployment-groups'
import type { Handlers } from '../../request.ts'

/** docs/reference/groups.md, "Deployment groups" */
export const deploymentGroupHandlers = {
  'deploymentGroups.list': (request) => listGroups(request, request.list),

  'deploymentGroups.get': (request) => getGroup(request, request.params.group_id, request.include),

  async 'deploymentGroups.put'(request) {
    await inTransaction(request, (actor, transaction) =>
      putGroup(actor, transaction, request.params.group_id, request.body),
    )
    return getGroup(request, request.params.group_id, request.include)
  },

  async 'deploymentGroups.update'(request) {
    await inTransaction(request, (actor, transaction) =>
      changeMembers(actor, transaction, request.params.group_id, request.body),
    )
    return getGroup(request, request.params.group_id, request.include)
  },

  async 'deploymentGroups.delete'(request) {
    const { delete_deployments, force, delete_logs, recursive } = request.options
    const executionGroupId = await inTransaction(request, (actor, transaction) =>
      removeGroup(actor, transaction, request.params.group_id, {
        deletesDeployments: delete_deployments ?? false,
        force: force ?? false,
        deleteLogs: delete_logs ?? false,
        recursive: recursive ?? false,
      }),
    )
    return executionGroupId === undefined ? undefined : { execution_group_id: executionGroupId }
  },
} satisfies Partial<Handlers>
