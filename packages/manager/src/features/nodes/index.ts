/**
 * Nodes of deployments: what the blueprint declares, with counts of instances (docs/reference/nodes-and-instances.md,
 * "Nodes").
 */

export { nodeResource } from './queries.ts'
export { nodeHandlers } from './routes.ts'
