export { adminPasswordFile } from './bootstrap/bootstrap.ts'
export type { ManagerSettings } from './settings.ts'
export { type RunningManager, startManager } from './start-manager.ts'
