import { lastValue, parseBoolean } from '@tutti/api'
import { listAnswer } from '../../list-answer.ts'
import type { Handlers, Request } from '../../request.ts'
import type { UserView } from './queries.ts'
import { changeUser, getSelf, getUser, listUsers } from './service.ts'

/** spec/rest-spec-b.md 4.15, spec/rest-facts-b.md 4 */
export const userHandlers = {
  'users.list': async (request) =>
    listAnswer(request.list, await listUsers(request, request.list, viewOf(request))),

  'users.get': (request) => getUser(request, request.params.username, viewOf(request), request.include),

  'user.get': (request) => getSelf(request, viewOf(request), request.include),

  async 'users.update'(request) {
    await changeUser(request, request.params.username, request.body)
    const view = { withData: false, withHash: false }
    return getUser(request, request.params.username, view, request.include)
  },
} satisfies Partial<Handlers>

function viewOf({ options, query }: Request & { options: { _get_data?: boolean } }): UserView {
  return {
    withData: options._get_data ?? false,
    withHash: parseBoolean('_include_hash', lastValue(query, '_include_hash') ?? false),
  }
}
