/** Nodes of deployments: what the blueprint declares, with counts of instances (spec/rest-facts-b.md 9). */

export { nodeResource } from './queries.ts'
export { nodeHandlers } from './routes.ts'
