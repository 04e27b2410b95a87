export { filterHandlers } from './routes.ts'
export { rulesOf } from './service.ts'
