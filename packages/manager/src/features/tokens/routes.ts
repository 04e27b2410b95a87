import { pickIncluded } from '@tutti/api'
import { listAnswer } from '../../list-answer.ts'
import type { Handlers } from '../../request.ts'
import { createToken, getToken, listTokens, removeToken } from './service.ts'

/** spec/rest-facts-b.md 2 */
export const tokenHandlers = {
  'tokens.list': async (request) => listAnswer(request.list, await listTokens(request, request.list)),

  'tokens.get': (request) => getToken(request, request.params.token_id, request.include),

  'tokens.create': async (request) => pickIncluded(await createToken(request, request.body), request.include),

  'tokens.delete': (request) => removeToken(request, request.params.token_id),
} satisfies Partial<Handlers>
