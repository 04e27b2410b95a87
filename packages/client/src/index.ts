export { type ArchiveSource, findArchiveSource, openArchive } from './archive.ts'
export {
  type Bytes,
  type Call,
  type CallOptions,
  type CallResult,
  createCall,
  type Download,
  type Fetch,
} from './call.ts'
export { type Client, createClient } from './client.ts'
export type { Connection, Credentials } from './connection.ts'
export { ClientError, ConnectionError, isNotFound } from './errors.ts'
export { type FollowOptions, followExecution } from './follow-execution.ts'
export { iterate, type ListOptions, list } from './pages.ts'
export type { UploadOptions } from './resources/blueprints.ts'
export type { CreateDeployment, DeleteDeployment } from './resources/deployments.ts'
export type { StartExecution } from './resources/executions.ts'
export type { Wait } from './wait.ts'
