import { listAnswer } from '../../list-answer.ts'
import { listScope } from '../../list-scope.ts'
import type { Handlers } from '../../request.ts'
import { listProviders } from './queries.ts'
import {
  changeProvider,
  createProvider,
  getProvider,
  removeProvider,
  shown,
  testProvider,
} from './service.ts'

/** spec/rest-facts-b.md 5 */
export const secretsProviderHandlers = {
  async 'secretsProviders.list'(request) {
    const scope = await listScope(request, request.list, 'secrets_provider_list')
    const { items, total } = await listProviders(request.services.db, request.list, scope)
    return listAnswer(request.list, { items: items.map((item) => shown(request, item)), total })
  },

  'secretsProviders.get': (request) => getProvider(request, request.params.provider_name, request.include),

  async 'secretsProviders.create'(request) {
    if (request.body.test === true) return testProvider(request, request.body)
    return getProvider(request, await createProvider(request, request.body), request.include)
  },

  async 'secretsProviders.update'(request) {
    await changeProvider(request, request.params.provider_name, request.body)
    return getProvider(request, request.params.provider_name, request.include)
  },

  async 'secretsProviders.delete'(request) {
    await removeProvider(request, request.params.provider_name)
  },
} satisfies Partial<Handlers>
