import { inTransaction } from '@tutti/domain'
import {
  changeProvider,
  createProvider,
  getProvider,
  listProviders,
  removeProvider,
  testProvider,
} from '@tutti/domain/secrets-providers'
import type { Handlers } from '../../request.ts'

/** docs/reference/secrets.md, "Secrets providers" */
export const secretsProviderHandlers = {
  'secretsProviders.list': (request) => listProviders(request, request.list),

  'secretsProviders.get': (request) => getProvider(request, request.params.provider_name, request.include),

  async 'secretsProviders.create'(request) {
    if (request.body.test === true) return testProvider(request, request.body)
    return getProvider(
      request,
      await inTransaction(request, (actor, transaction) => createProvider(actor, transaction, request.body)),
      request.include,
    )
  },

  async 'secretsProviders.update'(request) {
    await inTransaction(request, (actor, transaction) =>
      changeProvider(actor, transaction, request.params.provider_name, request.body),
    )
    return getProvider(request, request.params.provider_name, request.include)
  },

  'secretsProviders.delete': (request) =>
    inTransaction(request, (actor, transaction) =>
      removeProvider(actor, transaction, request.params.provider_name),
    ),
} satisfies Partial<Handlers>
