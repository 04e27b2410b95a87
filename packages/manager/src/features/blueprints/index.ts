export { blueprintResource } from './queries.ts'
export { blueprintHandlers } from './routes.ts'
export { hiddenIfAsked, listBlueprints, requireBlueprint } from './service.ts'
