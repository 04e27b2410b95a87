export { nodeInstanceHandlers } from './routes.ts'
export { checkDeploymentUpdate } from './service.ts'
export { setInstanceState } from './set-state.ts'
