/**
 * Agents: records of what runs operations on the hosts of deployments; installing them comes later
 * (docs/reference/agents.md, "Records").
 */
export { changeAgent, createAgent, getAgent, listAgents, replaceCertificates } from './service.ts'
