import { accessSync, constants } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import type { OperationUser } from './operation-user.ts'
import type { CloudifyContext, OperationEnvironment } from './request.ts'

/**
 * Variables of the worker that no operation may see: the manager's secrets and its database, what belongs to
 * this Node process only, and what systemd gave to this service. A list of what is left out, not of what is let
 * through: scripts rely on their worker's proxies, locale, HOME and cloud credentials (spec/operations.md 3).
 */
const withheld = [
  /^TUTTI_/i,
  /^PG[A-Z]/i,
  /DATABASE_URL$/i,
  /^ADMIN_API_TOKEN$/i,
  /^(NODE_OPTIONS|NODE_ENV|NODE_CHANNEL_FD|INIT_CWD)$/i,
  /^npm_/i,
  /^(NOTIFY_SOCKET|WATCHDOG_\w+|LISTEN_\w+|CREDENTIALS_DIRECTORY|INVOCATION_ID|JOURNAL_STREAM)$/,
]

/** The whole environment of an operation's process (spec/operations.md 4). */
export function childEnvironment(
  environment: OperationEnvironment,
  context: CloudifyContext,
  python: string,
  user: OperationUser = null,
): Record<string, string> {
  const { manager, runtimeFolder } = environment
  const variables: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment.inherited)) {
    if (value !== undefined && !withheld.some((pattern) => pattern.test(name))) variables[name] = value
  }
  const folders = [join(runtimeFolder, 'bin'), ...(isAbsolute(python) ? [dirname(python)] : [])]
  Object.assign(variables, {
    CLOUDIFY_DISPATCH: 'true',
    PATH: [...folders, variables.PATH ?? '/usr/local/bin:/usr/bin:/bin'].join(delimiter),
    REST_HOST: manager.hosts.join(','),
    REST_PORT: String(manager.port),
    REST_PROTOCOL: manager.protocol,
    MANAGER_NAME: manager.name,
    MANAGER_FILE_SERVER_SCHEME: manager.protocol,
    MANAGER_FILE_SERVER_URL: manager.hosts
      .map((host) => `${manager.protocol}://${host}:${manager.port}/resources`)
      .join(','),
    AGENT_WORK_DIR: environment.pluginWorkFolder,
    AGENT_LOG_DIR: environment.logFolder,
    ...(manager.certificateFile === null ? {} : { LOCAL_REST_CERT_FILE: manager.certificateFile }),
    ...(context.bypass_maintenance === true ? { BYPASS_MAINTENANCE: 'True' } : {}),
    // Without its compiled form the runtime takes 60 ms longer to start, for every operation.
    ...(user === null && isWritable(runtimeFolder)
      ? {}
      : { PYTHONPYCACHEPREFIX: join(environment.pluginWorkFolder, 'pycache') }),
  })
  if (user !== null) {
    // The worker's own are closed to it.
    for (const name of ['USER', 'LOGNAME', 'XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME']) {
      delete variables[name]
    }
    variables.HOME = environment.pluginWorkFolder
  }
  const { execution_env: executionEnv } = context
  if (typeof executionEnv === 'object' && executionEnv !== null) {
    for (const [name, value] of Object.entries(executionEnv)) variables[name] = String(value)
  }
  return variables
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
