import { pickIncluded } from '@tutti/api'
import { inTransaction } from '@tutti/domain'
import { createToken, getToken, listTokens, removeToken } from '@tutti/domain/tokens'
import type { Handlers } from '../../request.ts'

/** docs/reference/access.md, "Tokens" */
export const tokenHandlers = {
  'tokens.list': (request) => listTokens(request, request.list),

  'tokens.get': (request) => getToken(request, request.params.token_id, request.include),

  'tokens.create': async (request) =>
    pickIncluded(
      await inTransaction(request, (actor, transaction) => createToken(actor, transaction, request.body)),
      request.include,
    ),

  'tokens.delete': (request) => removeToken(request, request.params.token_id),
} satisfies Partial<Handlers>
