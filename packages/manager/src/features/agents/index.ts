/**
 * Agents: records of what runs operations on the hosts of deployments; installing them comes later
 * (spec/rest-facts-b.md 8).
 */

export { agentHandlers } from './routes.ts'
