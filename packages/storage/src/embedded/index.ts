export { type FolderLock, takeFolder } from './data-folder-lock.ts'
export {
  type ConnectionConfig,
  EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './embedded-postgres.ts'
export { EmbeddedPostgresError, type EmbeddedPostgresErrorCode } from './error.ts'
export { closedFolder } from './server-user.ts'
