import type { JsonValue } from '@tutti/engine'

/** Why this worker cannot run an operation of that plugin yet; null where it can. */
export function unbuiltPlugin(plugin: string, task: JsonValue | undefined): string | null {
  switch (plugin) {
    case 'agent':
      return `Agents are not built yet, so ${task} cannot run: set agent_config.install_method of the host to none`
    case 'cfy_extensions':
      return `Components and shared resources are not built yet, so ${task} cannot run`
    default:
      return null
  }
}
