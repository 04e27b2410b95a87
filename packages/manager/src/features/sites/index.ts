export { siteHandlers } from './routes.ts'
export { checkNotWider, requireSite } from './service.ts'
