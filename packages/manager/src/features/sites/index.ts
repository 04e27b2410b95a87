/** Sites: named places where deployments are (spec/rest-facts-b.md 6). */

export { siteHandlers } from './routes.ts'
export { checkNotWider, requireSite } from './service.ts'
