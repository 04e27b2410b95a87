import { join } from 'node:path'
import type { JsonValue } from '../src/operations/outcome.ts'
import type { OperationRequest } from '../src/operations/request.ts'

/** An operation of a script on one instance, with all its files in the folder and its manager on the port. */
export const operationRequest = (
  { folder, port }: { readonly folder: string; readonly port: number },
  kwargs: Readonly<Record<string, JsonValue>>,
  changes: Partial<OperationRequest> = {},
): OperationRequest => ({
  context: {
    type: 'operation',
    task_id: 'task',
    task_name: 'script_runner.tasks.run',
    execution_id: 'execution',
    deployment_id: 'd',
    blueprint_id: 'b',
    tenant: { name: 'default_tenant' },
    execution_token: 'token',
    node_id: 'web_1',
    node_name: 'web',
    plugin: { name: 'script' },
    operation: { name: 'create', retry_number: 0, max_retries: 1 },
  },
  kwargs,
  environment: {
    inherited: { ...process.env, TUTTI_DATABASE_URL: 'secret', PGPASSWORD: 'secret', KEPT: 'kept' },
    alsoPassed: ['KEPT'],
    manager: { protocol: 'http', hosts: ['127.0.0.1'], port, name: 'manager', certificateFile: null },
    runtimeFolder: join(import.meta.dirname, '../../../python'),
    pluginWorkFolder: join(folder, 'plugins'),
    logFolder: join(folder, 'log'),
    resourcesFolder: join(folder, 'resources'),
  },
  workFolder: join(folder, 'work'),
  timeLimit: { ms: null, isRecoverable: false },
  logFile: join(folder, 'log', 'd.log'),
  logLimits: { maxBytes: 1_000_000, files: 2 },
  python: 'python3',
  user: null,
  said: () => undefined,
  warn: (error, what) => console.error(what, error),
  ...changes,
})
