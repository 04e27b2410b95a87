import { inTransaction } from '@tutti/domain'
import { changeSite, createSite, getSite, listSites, removeSite } from '@tutti/domain/sites'
import type { Handlers } from '../../request.ts'

/** docs/reference/sites-filters-labels.md, "Sites" */
export const siteHandlers = {
  'sites.list': (request) => listSites(request, request.list),

  'sites.get': (request) => getSite(request, request.params.site_name, request.include),

  async 'sites.create'(request) {
    await inTransaction(request, (actor, transaction) =>
      createSite(actor, transaction, request.params.site_name, request.body),
    )
    return getSite(request, request.params.site_name, request.include)
  },

  async 'sites.update'(request) {
    const name = await inTransaction(request, (actor, transaction) =>
      changeSite(actor, transaction, request.params.site_name, request.body),
    )
    return getSite(request, name, request.include)
  },

  'sites.delete': (request) =>
    inTransaction(request, (actor, transaction) => removeSite(actor, transaction, request.params.site_name)),
} satisfies Partial<Handlers>
