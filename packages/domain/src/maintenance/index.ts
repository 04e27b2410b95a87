/**
 * Maintenance mode: requested, begun when the last execution has ended, and what is refused meanwhile
 * (docs/reference/cluster-and-configuration.md, "Maintenance").
 */
export { proceed, readMaintenanceMode, setMaintenanceMode } from './service.ts'
