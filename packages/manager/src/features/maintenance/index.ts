/**
 * Maintenance mode: requested, begun when the last execution has ended, and what is refused meanwhile
 * (spec/rest-facts-b.md 12).
 */

export { unlessInMaintenance } from './refusal.ts'
export { maintenanceHandlers } from './routes.ts'
