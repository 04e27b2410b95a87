/**
 * Plugins: wagons, the YAML files that blueprints import of them, and where they are installed
 * (docs/reference/plugins.md).
 */

export { findInstallable } from './find-installable.ts'
export type { InstallablePlugin, WantedPlugin } from './find-installable-queries.ts'
