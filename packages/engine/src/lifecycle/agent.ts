import { isJsonObject } from '../json.ts'
import type { ModelNode } from '../model.ts'

export function isHost(node: ModelNode): boolean {
  return node.type_hierarchy.includes('cloudify.nodes.Compute')
}

/** How a host gets its agent. The deprecated property `install_agent`, where it is set, overrides `agent_config`. */
export function installMethod({ properties }: ModelNode): string {
  const { install_agent: installAgent, agent_config: config } = properties
  if (installAgent === true || installAgent === 'true') return 'remote'
  if (installAgent === false || installAgent === 'false') return 'none'
  const method = isJsonObject(config) ? config.install_method : undefined
  return typeof method === 'string' ? method : 'none'
}
