export { nodeInstanceResource } from './queries.ts'
export { nodeInstanceHandlers } from './routes.ts'
export { checkDeploymentUpdate, listNodeInstances } from './service.ts'
export { setInstanceState } from './set-state.ts'
