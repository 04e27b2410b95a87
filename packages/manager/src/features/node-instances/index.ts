/**
 * Node instances: state and runtime properties of what a deployment consists of, changed under optimistic locking
 * (spec/rest-facts-b.md 9).
 */

export { nodeInstanceResource } from './queries.ts'
export { nodeInstanceHandlers } from './routes.ts'
export { checkDeploymentUpdate, listNodeInstances } from './service.ts'
export { setInstanceState } from './set-state.ts'
