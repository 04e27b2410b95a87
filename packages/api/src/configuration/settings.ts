import { type TSchema, Type } from 'typebox'
import { type EventVocabulary, eventVocabularies } from '../events/vocabulary.ts'
import { ldapFields } from '../shapes/ldap.ts'

/**
 * One setting of the manager that `GET /config` shows (docs/reference/cluster-and-configuration.md, "Configuration").
 */
export type Setting<Value = unknown> = {
  readonly default: Value
  readonly schema: TSchema
  readonly isEditable: boolean
  /** Only system administrators see its value and may change it. */
  readonly isAdminOnly: boolean
}

type Flags = { readonly isEditable?: boolean; readonly isAdminOnly?: boolean }

function setting<Value>(schema: TSchema, value: Value, flags: Flags = {}): Setting<Value> {
  return { schema, default: value, isEditable: true, isAdminOnly: false, ...flags }
}

const integer = (value: number, range: { minimum?: number; maximum?: number } = {}) =>
  setting<number>(Type.Integer(range), value)
const text = (value: string, flags?: Flags) => setting<string>(Type.String(), value, flags)
const fixed = { isEditable: false }
/** The greatest that queries can calculate with. */
const maxInteger = 2 ** 31 - 1
const secret = { isAdminOnly: true }

const logLevel = (value: LogLevel) =>
  setting<LogLevel>(Type.Union(logLevels.map((level) => Type.Literal(level))), value)

/** As they are known on the wire. */
export const logLevels = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const
export type LogLevel = (typeof logLevels)[number]

/**
 * What the manager itself does differently when it is changed, at once and in every process: it reads these by name.
 * A setting of the command line or the environment stands for the default until somebody changes it here.
 */
export const ownSettings = {
  rest_service_log_level: logLevel('INFO'),
  /** Items of a list that names no `_size`. */
  default_page_size: integer(1000, { minimum: 1, maximum: 100_000 }),
  failed_logins_before_account_lock: integer(4, { minimum: 1, maximum: maxInteger }),
  /** Minutes; below 1 no account is ever locked. */
  account_lock_period: integer(-1, { minimum: -1, maximum: maxInteger }),
  max_concurrent_workflows: integer(20, { minimum: 1, maximum: 1000 }),
  /**
   * The words for the types of events in answers to those who name none: `svc_event` and `svc_log`, or the
   * `cloudify_event` and `cloudify_log` that the older web console knows alone.
   */
  event_vocabulary: setting<EventVocabulary>(
    Type.Union(eventVocabularies.map((one) => Type.Literal(one))),
    'svc',
  ),
  blueprint_folder_max_size_mb: setting<number>(Type.Number({ minimum: 0 }), 50),
  blueprint_folder_max_files: integer(10_000, { minimum: 0 }),
} as const

/** What workflows begin with (docs/reference/workflows.md, "Settings"). */
export const workflowSettings = {
  /** −1: without limit. */
  task_retries: integer(60, { minimum: -1 }),
  /** seconds */
  task_retry_interval: integer(15, { minimum: 0 }),
  subgraph_retries: integer(0, { minimum: -1 }),
} as const

export type LdapSettingName = keyof typeof ldapFields
const ldapSecrets: ReadonlySet<string> = new Set<LdapSettingName>(['ldap_username', 'ldap_password'])

/** What `POST /ldap` sets, kept where that keeps it; nothing while LDAP is off. */
const ldapSettings = Object.fromEntries(
  Object.entries(ldapFields).map(([name, schema]) => [
    name,
    setting<unknown>(schema, null, { isAdminOnly: ldapSecrets.has(name) }),
  ]),
) as Readonly<Record<LdapSettingName, Setting>>

export const isLdapSetting = (name: string): name is LdapSettingName => Object.hasOwn(ldapSettings, name)

/**
 * All settings by scope. Those that are neither own nor of workflows are kept for those who read them over the API:
 * agents, plugins, the console and operators' own tools.
 */
export const settingsByScope = {
  rest: {
    ...ownSettings,
    api_service_log_level: logLevel('INFO'),
    min_available_memory_mb: integer(100, { minimum: 0 }),
    monitoring_timeout: integer(4, { minimum: 0 }),
    default_agent_port: integer(443, { minimum: 1, maximum: 65_535 }),
    marketplace_api_url: text(''),
    prometheus_url: text(''),
    log_fetch_username: text('', secret),
    log_fetch_password: text('', secret),
    ...ldapSettings,
    file_server_type: text('local', fixed),
    file_server_url: text('', fixed),
    // Files are served from the database, and what happens is logged to the standard output: there is no path to tell.
    file_server_root: text('', fixed),
    maintenance_folder: text('', fixed),
    rest_service_log_path: text('', fixed),
    api_service_log_path: text('', fixed),
    insecure_endpoints_disabled: setting<boolean>(Type.Boolean(), true, fixed),
    public_ip: text('', fixed),
  },
  mgmtworker: {
    min_workers: integer(2, { minimum: 1 }),
    max_workers: integer(5, { minimum: 1 }),
  },
  agent: {
    broker_port: integer(5671, { minimum: 1, maximum: 65_535 }),
    min_workers: integer(2, { minimum: 1 }),
    max_workers: integer(5, { minimum: 1 }),
    heartbeat: integer(30, { minimum: 0 }),
    log_level: setting<string>(
      Type.Union(logLevels.map((level) => Type.Literal(level.toLowerCase()))),
      'info',
    ),
  },
  workflow: workflowSettings,
} as const satisfies Readonly<Record<string, Readonly<Record<string, Setting>>>>

/** The settings that code reads by name alone: no other scope has one of these names. */
const readSettings = { ...ownSettings, ...workflowSettings } as const

export type SettingName = keyof typeof readSettings
export type SettingValue<Name extends SettingName> = (typeof readSettings)[Name]['default']
export const settingNames = Object.keys(readSettings) as readonly SettingName[]
export const settingScope = (name: SettingName) =>
  Object.hasOwn(workflowSettings, name) ? 'workflow' : 'rest'
export const settingDefault = <Name extends SettingName>(name: Name): SettingValue<Name> =>
  readSettings[name].default
