import { changeSite, createSite, getSite, listSites, removeSite } from '@tutti/domain/sites'
import type { Handlers } from '../../request.ts'

/** docs/reference/sites-filters-labels.md, "Sites" */
export const siteHandlers = {
  'sites.list': (request) => listSites(request, request.list),

  'sites.get': (request) => getSite(request, request.params.site_name, request.include),

  async 'sites.create'(request) {
    await createSite(request, request.params.site_name, request.body)
    return getSite(request, request.params.site_name, request.include)
  },

  async 'sites.update'(request) {
    const name = await changeSite(request, request.params.site_name, request.body)
    return getSite(request, name, request.include)
  },

  'sites.delete': (request) => removeSite(request, request.params.site_name),
} satisfies Partial<Handlers>
