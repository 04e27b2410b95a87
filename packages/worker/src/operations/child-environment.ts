import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import type { OperationUser } from './operation-user.ts'
import type { CloudifyContext, OperationEnvironment } from './request.ts'

/**
 * Variables of the worker that operations get: what programs need to know of their machine. All others may be secrets,
 * or mean this process only; those that scripts need as well are named in a setting.
 */
const passed = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'HOSTNAME', 'TMPDIR', 'TMP', 'TEMP', 'TZ', 'TZDIR'],
  ...['LANG', 'LANGUAGE', 'LC_*', 'LOCPATH', 'TERM', 'COLUMNS', 'LINES', 'LD_LIBRARY_PATH'],
  ...['XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'FTP_PROXY', 'ALL_PROXY', 'NO_PROXY'],
  ...['http_proxy', 'https_proxy', 'ftp_proxy', 'all_proxy', 'no_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'GIT_SSL_CAINFO', 'PIP_CERT'],
  ...['NODE_EXTRA_CA_CERTS', 'AWS_CA_BUNDLE', 'KRB5_CONFIG', 'KERBEROS_ENV'],
  // Which Python it is, and what is installed for it; where operations keep temporary files.
  ...['VIRTUAL_ENV', 'PYTHONHOME', 'PYTHONPATH', 'PYENV_ROOT', 'PYENV_VERSION', 'CFY_EXEC_TEMP'],
])

/** Names that end with `*` stand for all that begin so. */
function isNamed(name: string, names: Iterable<string>): boolean {
  for (const one of names) {
    if (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name === one) return true
  }
  return false
}

/**
 * Without the folders that npm puts in front for its own scripts, and without those that depend on where a process is:
 * an operation's is a folder that scripts write to.
 */
function searchPath(given: string | undefined): string[] {
  const folders = (given ?? '').split(delimiter)
  const kept = folders.filter(
    (folder) => isAbsolute(folder) && !/\/(node_modules\/\.bin|node-gyp-bin)\/*$/.test(folder),
  )
  return kept.length > 0 ? kept : ['/usr/local/bin', '/usr/bin', '/bin']
}

/** The whole environment of an operation's process (docs/reference/operations.md, "Environment"). */
export function childEnvironment(
  environment: OperationEnvironment,
  context: CloudifyContext,
  python: string,
  user: OperationUser = null,
): Record<string, string> {
  return { ...commonEnvironment(environment, python, user), ...ownEnvironment(context, user) }
}

/** What Python, and the linker before it, look at when they start: of no use to a process that is forked. */
const readAtStart = [
  ...['PYTHON*', 'LD_*', 'GLIBC_TUNABLES', 'MALLOC_*', 'LC_*', 'LANG', 'LANGUAGE', 'LOCPATH', 'TZ', 'TZDIR'],
  ...['PATH', 'HOME', 'VIRTUAL_ENV', 'PYENV_*', 'OPENSSL_*'],
]

/** Whether these variables are to change how the interpreter itself starts. */
export const changesStart = (variables: Readonly<Record<string, string>>): boolean =>
  Object.keys(variables).some((name) => isNamed(name, readAtStart))

/** What the environment of all operations of a user has. */
export function commonEnvironment(
  environment: OperationEnvironment,
  python: string,
  user: OperationUser,
): Record<string, string> {
  const { manager, runtimeFolder } = environment
  const variables: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment.inherited)) {
    if (value === undefined) continue
    if (isNamed(name, passed) || isNamed(name, environment.alsoPassed)) variables[name] = value
  }
  const folders = [...commandFolders(runtimeFolder), ...(isAbsolute(python) ? [dirname(python)] : [])]
  Object.assign(variables, {
    CLOUDIFY_DISPATCH: 'true',
    PATH: [...folders, ...searchPath(variables.PATH)].join(delimiter),
    REST_HOST: manager.hosts.join(','),
    REST_PORT: String(manager.port),
    REST_PROTOCOL: manager.protocol,
    MANAGER_NAME: manager.name,
    MANAGER_FILE_SERVER_SCHEME: manager.protocol,
    MANAGER_FILE_SERVER_URL: manager.hosts
      .map((host) => `${manager.protocol}://${host}:${manager.port}/resources`)
      .join(','),
    // One folder under both names: what the SDK would copy from one to the other is there already.
    MANAGER_FILE_SERVER_ROOT: environment.resourcesFolder,
    CFY_RESOURCES_ROOT: environment.resourcesFolder,
    AGENT_WORK_DIR: environment.pluginWorkFolder,
    AGENT_LOG_DIR: environment.logFolder,
    ...(manager.certificateFile === null ? {} : { LOCAL_REST_CERT_FILE: manager.certificateFile }),
    // Without its compiled form the runtime takes 60 ms longer to start, for every operation.
    ...(user === null && isWritable(runtimeFolder)
      ? {}
      : { PYTHONPYCACHEPREFIX: join(environment.pluginWorkFolder, 'pycache') }),
  })
  if (user !== null) {
    // The worker's own are closed to it.
    for (const name of Object.keys(variables)) {
      if (isNamed(name, ['USER', 'LOGNAME', 'XDG_*'])) delete variables[name]
    }
    variables.HOME = environment.pluginWorkFolder
  }
  return variables
}

/** Where `ctx` is: in Perl, which starts in a quarter of the time, and as Perl is not everywhere, in Python. */
const commandFolders = (runtimeFolder: string): string[] => [
  ...(hasPerl ? [join(runtimeFolder, 'bin/perl')] : []),
  join(runtimeFolder, 'bin'),
]

const hasPerl = existsSync('/usr/bin/perl')

/** What the operation's context adds to it. */
export function ownEnvironment(context: CloudifyContext, user: OperationUser): Record<string, string> {
  const variables: Record<string, string> = {}
  if (context.bypass_maintenance === true) variables.BYPASS_MAINTENANCE = 'True'
  const { execution_env: executionEnv } = context
  if (typeof executionEnv === 'object' && executionEnv !== null) {
    for (const [name, value] of Object.entries(executionEnv)) {
      // The linker would obey before setpriv has taken privileges away.
      if (user !== null && isNamed(name, ['LD_*', 'GLIBC_TUNABLES'])) continue
      variables[name] = String(value)
    }
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
