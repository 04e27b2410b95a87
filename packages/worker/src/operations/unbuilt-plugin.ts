import type { CloudifyContext } from './request.ts'

/** Why this worker cannot run an operation of that plugin yet; null for the script plugin, which it can. */
export function unbuiltPlugin({ plugin, task_name }: CloudifyContext): string | null {
  switch (plugin.name) {
    case 'script':
      return null
    case 'agent':
      return `Agents are not built yet, so ${task_name} cannot run: set agent_config.install_method of the host to none`
    case 'cfy_extensions':
      return `Components and shared resources are not built yet, so ${task_name} cannot run`
    default:
      return (
        `Plugins are not built yet, so ${task_name} of plugin "${plugin.name}" cannot run: ` +
        'implement the operation with a script'
      )
  }
}
