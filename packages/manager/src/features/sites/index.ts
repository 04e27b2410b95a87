/** Sites: named places where deployments are (docs/reference/sites-filters-labels.md, "Sites"). */

export { siteHandlers } from './routes.ts'
export { checkNotWider, requireSite } from './service.ts'
