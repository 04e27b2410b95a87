/** Sites: named places where deployments are (docs/reference/sites-filters-labels.md, "Sites"). */

export {
  changeSite,
  checkNotWider,
  createSite,
  getSite,
  listSites,
  removeSite,
  requireSite,
} from './service.ts'
