export { unlessInMaintenance } from './refusal.ts'
export { maintenanceHandlers } from './routes.ts'
