import { inTransaction } from '@tutti/domain'
import { actOnGroup, changeGroup, getGroup, listGroups, startGroup } from '@tutti/domain/execution-groups'
import type { Handlers } from '../../request.ts'

/** docs/reference/groups.md, "Execution groups" */
export const executionGroupHandlers = {
  'executionGroups.list': (request) => listGroups(request, request.list),

  'executionGroups.get': (request) => getGroup(request, request.params.group_id, request.include),

  async 'executionGroups.start'(request) {
    const id = await startGroup(request, request.body)
    return getGroup(request, id, request.include)
  },

  async 'executionGroups.act'(request) {
    await actOnGroup(request, request.params.group_id, request.body.action)
    return getGroup(request, request.params.group_id, request.include)
  },

  async 'executionGroups.update'(request) {
    await inTransaction(request, (actor, transaction) =>
      changeGroup(actor, transaction, request.params.group_id, request.body),
    )
    return getGroup(request, request.params.group_id, request.include)
  },
} satisfies Partial<Handlers>
