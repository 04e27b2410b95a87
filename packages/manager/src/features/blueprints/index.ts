export { blueprintHandlers } from './routes.ts'
export { requireBlueprint } from './service.ts'
