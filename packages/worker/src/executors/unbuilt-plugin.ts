import type { JsonValue } from '@tutti/engine'

/** Why this worker cannot run an operation of that plugin yet; null for the script plugin, which it can. */
export function unbuiltPlugin(plugin: string, task: JsonValue | undefined): string | null {
  switch (plugin) {
    case 'script':
      return null
    case 'agent':
      return `Agents are not built yet, so ${task} cannot run: set agent_config.install_method of the host to none`
    case 'cfy_extensions':
      return `Components and shared resources are not built yet, so ${task} cannot run`
    default:
      return (
        `Plugins are not built yet, so ${task} of plugin "${plugin}" cannot run: ` +
        'implement the operation with a script'
      )
  }
}
