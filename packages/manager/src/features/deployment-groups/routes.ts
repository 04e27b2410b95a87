import { changeMembers, getGroup, listGroups, putGroup, removeGroup } from '@tutti/domain/deployment-groups'
import type { Handlers } from '../../request.ts'

/** docs/reference/groups.md, "Deployment groups" */
export const deploymentGroupHandlers = {
  'deploymentGroups.list': (request) => listGroups(request, request.list),

  'deploymentGroups.get': (request) => getGroup(request, request.params.group_id, request.include),

  async 'deploymentGroups.put'(request) {
    await putGroup(request, request.params.group_id, request.body)
    return getGroup(request, request.params.group_id, request.include)
  },

  async 'deploymentGroups.update'(request) {
    await changeMembers(request, request.params.group_id, request.body)
    return getGroup(request, request.params.group_id, request.include)
  },

  async 'deploymentGroups.delete'(request) {
    const { delete_deployments, force, delete_logs, recursive } = request.options
    const executionGroupId = await removeGroup(request, request.params.group_id, {
      deletesDeployments: delete_deployments ?? false,
      force: force ?? false,
      deleteLogs: delete_logs ?? false,
      recursive: recursive ?? false,
    })
    return executionGroupId === undefined ? undefined : { execution_group_id: executionGroupId }
  },
} satisfies Partial<Handlers>
