export { adminPasswordFile } from './bootstrap/bootstrap.ts'
export { rotateKeys } from './encryption/keys.ts'
export type { ManagerSettings } from './settings.ts'
export { type RunningManager, startManager } from './start-manager.ts'
