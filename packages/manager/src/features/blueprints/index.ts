export { blueprintResource, notHidden } from './queries.ts'
export { blueprintHandlers } from './routes.ts'
export { listBlueprints, requireBlueprint } from './service.ts'
