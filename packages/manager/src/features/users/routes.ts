import { firstValue, parseBoolean } from '@tutti/api'
import type { UserView } from '@tutti/domain/users'
import {
  changeUser,
  createUser,
  getSelf,
  getUser,
  listUsers,
  removeUser,
  setActive,
  unlockUser,
} from '@tutti/domain/users'
import type { Handlers, Request } from '../../request.ts'

/** docs/reference/access.md, "Users" */
export const userHandlers = {
  'users.list': (request) => listUsers(request, request.list, viewOf(request)),

  'users.get': (request) => getUser(request, request.params.username, viewOf(request), request.include),

  'user.get': (request) => getSelf(request, viewOf(request), request.include),

  async 'users.create'(request) {
    await createUser(request, request.body)
    return answerOf(request, request.body.username)
  },

  async 'users.update'(request) {
    await changeUser(request, request.params.username, request.body)
    return answerOf(request, request.params.username)
  },

  'users.delete': (request) => removeUser(request, request.params.username),

  // Whatever is not "activate" deactivates, as clients know it.
  async 'users.setActive'(request) {
    await setActive(request, request.params.username, request.body.action === 'activate')
    return answerOf(request, request.params.username)
  },

  async 'users.unlock'(request) {
    await unlockUser(request, request.params.username)
    return answerOf(request, request.params.username)
  },
} satisfies Partial<Handlers>

/** What a change answers. */
function answerOf(request: Request & { readonly include: readonly string[] | undefined }, username: string) {
  const view = { withData: false, withHash: false, lockout: request.services.lockout() }
  return getUser(request, username, view, request.include)
}

function viewOf({ options, query, services }: Request & { options: { _get_data?: boolean } }): UserView {
  return {
    lockout: services.lockout(),
    withData: options._get_data ?? false,
    withHash: parseBoolean('_include_hash', firstValue(query, '_include_hash') ?? false),
  }
}
