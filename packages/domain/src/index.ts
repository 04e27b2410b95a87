export {
  type Actor,
  type Behalf,
  inTransaction,
  isAdministrator,
  isHiddenFrom,
  ownTenantScope,
  requirePermission,
  type Tenant,
  tenantOf,
  tenantScope,
} from './actor.ts'
export { bootstrapAdmin, defaultTenant } from './first.ts'
export { unfilteredAnswer, valuesAnswer, wholeAnswer } from './list-answer.ts'
export { maxIconBytes } from './png.ts'
export type { ArchiveExtension, ReceivedArchive } from './received-archive.ts'
export { scopeOf } from './scope-of-queries.ts'
export type { DomainLog, DomainSettings, Services } from './services.ts'
export { tuttiVersion } from './version.ts'
