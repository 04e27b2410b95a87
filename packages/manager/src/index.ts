export { adminPasswordFile } from '@tutti/domain/bootstrap'
export { rotateKeys } from '@tutti/domain/encryption'
export type { ManagerSettings } from './settings.ts'
export { type RunningManager, startManager } from './start-manager.ts'
