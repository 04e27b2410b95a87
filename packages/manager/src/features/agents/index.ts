/**
 * Agents: records of what runs operations on the hosts of deployments; installing them comes later
 * (docs/reference/agents.md, "Records").
 */

export { agentHandlers } from './routes.ts'
