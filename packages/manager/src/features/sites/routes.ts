import { listAnswer } from '../../list-answer.ts'
import { listScope } from '../../list-scope.ts'
import { getItem } from '../../owned.ts'
import type { Handlers } from '../../request.ts'
import { listSites, siteResource } from './queries.ts'
import { changeSite, createSite, removeSite } from './service.ts'

/** spec/rest-spec-b.md 4.10, spec/rest-facts-b.md 6 */
export const siteHandlers = {
  async 'sites.list'(request) {
    const scope = await listScope(request, request.list, 'site_list')
    return listAnswer(request.list, await listSites(request.services.db, request.list, scope))
  },

  'sites.get': (request) => getItem(request, siteResource, request.params.site_name, request.include),

  async 'sites.create'(request) {
    await createSite(request, request.params.site_name, request.body)
    return getItem(request, siteResource, request.params.site_name, request.include)
  },

  async 'sites.update'(request) {
    const name = await changeSite(request, request.params.site_name, request.body)
    return getItem(request, siteResource, name, request.include)
  },

  async 'sites.delete'(request) {
    await removeSite(request, request.params.site_name)
  },
} satisfies Partial<Handlers>
