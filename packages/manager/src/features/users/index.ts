export { userHandlers } from './routes.ts'
export { requireUser } from './service.ts'
