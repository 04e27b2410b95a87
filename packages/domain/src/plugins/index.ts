/**
 * Plugins: wagons, the YAML files that blueprints import of them, and where they are installed
 * (docs/reference/plugins.md).
 */

export { downloadFullArchive, downloadWagon, downloadYaml } from './download.ts'
export { findInstallable, findMissingPlugin } from './find-installable.ts'
export type { InstallablePlugin, WantedPlugin } from './find-installable-queries.ts'
export { findImportable, type ImportablePlugin, readYamlText } from './importable.ts'
export { readFileContent, readFileNames } from './queries.ts'
export { readUpload, type SentPlugin, type SentPlugins } from './read-upload.ts'
export {
  changePlugin,
  getPlugin,
  listPlugins,
  removePlugin,
  setPluginVisibility,
} from './service.ts'
export { installPlugin, setPluginState } from './states.ts'
export { type InstallationReport, writePluginState } from './states-queries.ts'
export { type UploadedPlugins, uploadPlugins } from './upload.ts'
