export { userGroupHandlers } from './routes.ts'
export { requireGroup } from './service.ts'
