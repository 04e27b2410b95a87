/**
 * Maintenance mode: requested, begun when the last execution has ended, and what is refused meanwhile
 * (docs/reference/cluster-and-configuration.md, "Maintenance").
 */

export { unlessInMaintenance } from './refusal.ts'
export { maintenanceHandlers } from './routes.ts'
