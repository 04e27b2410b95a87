import { type Static, Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { JsonObject, Nullable, ownerFields, Shape, Timestamp } from './common.ts'

export const pluginStates = [
  'pending-install',
  'installing',
  'installed',
  'error',
  'pending-uninstall',
  'uninstalling',
  'uninstalled',
] as const
export type PluginState = (typeof pluginStates)[number]

/** Of one manager's machine or one agent. */
export const PluginInstallation = Shape('PluginInstallation', {
  state: Type.String(),
  error: Nullable(Type.String()),
  manager: Nullable(Type.String()),
  agent: Nullable(Type.String()),
  /** How far an installation has come, while it is under way. */
  progress: Nullable(Type.Object({ done: Type.Integer(), total: Type.Integer(), message: Type.String() })),
})
export type PluginInstallation = Static<typeof PluginInstallation>

const LabelValues = Type.Record(Type.String(), Type.Array(Type.Unknown()))

/** docs/reference/plugins.md, "Fields". */
export const Plugin = Shape('Plugin', {
  id: Type.String(),
  title: Type.String(),
  package_name: Type.String(),
  package_version: Type.String(),
  package_source: Nullable(Type.String()),
  /** File name of the wagon. */
  archive_name: Type.String(),
  supported_platform: Nullable(Type.String()),
  distribution: Nullable(Type.String()),
  distribution_version: Nullable(Type.String()),
  distribution_release: Nullable(Type.String()),
  supported_py_versions: Type.Array(Type.String()),
  wheels: Type.Array(Type.String()),
  excluded_wheels: Type.Array(Type.String()),
  blueprint_labels: LabelValues,
  labels: LabelValues,
  resource_tags: JsonObject,
  installation_state: Type.Array(PluginInstallation),
  /** Of its YAML files, on the file server. */
  yaml_files_paths: Type.Array(Type.String()),
  /** What blueprints import; empty where no YAML file came with the wagon. */
  yaml_url_path: Type.String(),
  uploaded_at: Timestamp,
  ...ownerFields,
})
export type Plugin = Static<typeof Plugin>

export const pluginFields = fieldTable(Plugin, { rangeField: 'uploaded_at' })
