import { inTransaction } from '@tutti/domain'
import {
  addUserToGroup,
  createGroup,
  getGroup,
  listGroups,
  removeGroup,
  removeUserFromGroup,
  setGroupRole,
} from '@tutti/domain/user-groups'
import type { Handlers } from '../../request.ts'

/** docs/reference/access.md, "User groups" */
export const userGroupHandlers = {
  'userGroups.list': (request) => listGroups(request, request.list, request.options._get_data ?? false),

  'userGroups.get': (request) =>
    getGroup(request, request.params.group_name, request.options._get_data, request.include),

  async 'userGroups.create'(request) {
    await createGroup(request, request.body)
    return getGroup(request, request.body.group_name, false, request.include)
  },

  async 'userGroups.update'(request) {
    await inTransaction(request, (_actor, transaction) =>
      setGroupRole(transaction, request.params.group_name, request.body.role),
    )
    return getGroup(request, request.params.group_name, false, request.include)
  },

  'userGroups.delete': (request) => removeGroup(request, request.params.group_name),

  async 'userGroups.addUser'(request) {
    await addUserToGroup(request, request.body)
    return getGroup(request, request.body.group_name, false, request.include)
  },

  'userGroups.removeUser': (request) => removeUserFromGroup(request, request.body),
} satisfies Partial<Handlers>
