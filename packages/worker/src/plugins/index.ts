/**
 * Plugins on this machine: an environment for each plugin, version and interpreter, made at first use or when somebody asks
 * for it (docs/decisions/2026-11-22-plugin-environments.md).
 */
export { PluginInstallationError } from './installation-error.ts'
export { openPlugins, type PluginEnvironment, type Plugins } from './plugins.ts'
export { type UsedPlugin, usedPlugin } from './used-plugin.ts'
