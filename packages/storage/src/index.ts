export type { PoolConfig } from 'pg'
export { createAbandonedSweep } from './abandoned.ts'
export * from './archives/index.ts'
export { unpackedArchive } from './archives/unpacked-archive.ts'
export { type AuditedTable, auditTable, tenantName } from './audit/audit-table.ts'
export type { AuditCaller } from './audit/caller.ts'
export {
  AddressRefused,
  type AddressRules,
  type CheckedAddress,
  checkedAddress,
} from './checked-address.ts'
export { type CoordinatorLock, coordinatorLock } from './coordinator-lock.ts'
export { type Database, type OpenDatabase, openDatabase, type Transaction, toJson } from './database.ts'
export { isDatabaseAway } from './database-away.ts'
export { isDiskFull } from './disk-full.ts'
export * from './embedded/index.ts'
export {
  claimEventBatch,
  deleteOldEventBatches,
  type EventContext,
  executionEvents,
  insertEvents,
  type NewEvent,
  sumEventCounts,
} from './events.ts'
export {
  keepLeases,
  type LeaseKeeper,
  type LeaseKeeperOptions,
  type Renewal,
} from './executions/keep-leases.ts'
export {
  checkLease,
  clearLeftLeases,
  type ExecutionRow,
  endsWhatIsLeft,
  findAbandoned,
  isActive,
  isActiveOrQueued,
  type Lease,
  LeaseLost,
  msUntilAbandoned,
  offered,
  pickUpMs,
  readHeld,
  recorded,
  releaseAllLeases,
  releaseLeases,
  takeLease,
} from './executions/lease.ts'
export { type HeldLease, renewLeases, renewLocked } from './executions/renew-leases.ts'
export {
  FetchRefused,
  type FetchRules,
  type GuardedGet,
  guardedFetch,
  guardedGet,
  limited,
  shownAddress,
  withoutCredentials,
} from './fetch/index.ts'
export {
  blueprintLabels,
  deploymentGroupLabels,
  deploymentLabels,
  type LabelledTable,
} from './labelled-table.ts'
export { addLabels, isSeenLabel, readLabels, removeLabels, replaceLabels } from './labels.ts'
export { inBatches, sizeOf } from './lists/batches.ts'
export { columnOf } from './lists/columns.ts'
export { fixed, fixedOnce } from './lists/fixed.ts'
export {
  counted,
  countedAhead,
  findById,
  findItem,
  limitTo,
  listPage,
  pagedList,
  selection,
} from './lists/list.ts'
export { literal } from './lists/literal.ts'
export { everything, namedOnly } from './lists/named-only.ts'
export { ownedAs } from './lists/owned-as.ts'
export { labelsField, labelValue, ownedRows, ownerFields, timeField, wireTime } from './lists/owner-fields.ts'
export type { ExtraFilter, ListedField, ListedResource, Scope, Settling } from './lists/resource.ts'
export { ruleConditions } from './lists/rules.ts'
export { type SummaryRow, summarise } from './lists/summary.ts'
export { type Users, usersOf, usersText } from './lists/users-of.ts'
export { valuesResource } from './lists/values-resource.ts'
export { visibleIn } from './lists/visible.ts'
export { migrate } from './migrations/index.ts'
export { monotonicMs } from './monotonic.ts'
export { listen, type Notification, notify, type SharedState } from './notifications.ts'
export {
  agentTable,
  blueprintFilterTable,
  blueprintTable,
  deleteOwned,
  deploymentFilterTable,
  deploymentGroupTable,
  deploymentTable,
  executionGroupTable,
  existsInOtherTenants,
  findOwned,
  holdGlobals,
  holdId,
  holdings,
  holdUser,
  lockGlobals,
  lockId,
  type OwnedRow,
  type OwnedTable,
  ownedResource,
  pluginTable,
  providerTable,
  secretTable,
  siteTable,
  tenantsWithGlobals,
} from './owned.ts'
export { inParts } from './parts.ts'
export { ping } from './ping.ts'
export { openProcessFolder } from './process-folder.ts'
export {
  type Heartbeat,
  heartbeatMs,
  isFresh,
  listProcesses,
  type ProcessIdentity,
  type ProcessRole,
  type ProcessRow,
  startHeartbeat,
} from './processes/heartbeat.ts'
export { machineAddress } from './processes/machine-address.ts'
export { internalFailure, publicReason } from './public-reason.ts'
export { deleteFinishedJobs, type ExecutionJob, openQueue, type Queue } from './queue.ts'
export type { JsonColumn, PluginProgress, PluginState, Schema, Visibility } from './schema.ts'
export { unawaited, unawaitedIfOnly } from './sent-together.ts'
export {
  type ConfigValues,
  openConfigValues,
  type ProcessSettings,
  type StoredSetting,
} from './shared/config-values.ts'
export { isInMaintenance, type MaintenanceState, readMaintenance } from './shared/maintenance.ts'
export { type Watched, watch } from './shared/watch.ts'
export { partsList, sharedColumn, writtenOutBy } from './shared-columns.ts'
export { createFairShares, type FairShares, ShareRefused } from './shares/fair-shares.ts'
export { createMetrics, measuredShares, type Registry } from './shares/metrics.ts'
export { readTableSizes, type TableSize } from './table-sizes.ts'
export * from './unpack/index.ts'
