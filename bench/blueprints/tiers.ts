/**
 * Node templates in tiers, each with as many instances as asked for and every instance of a tier on one of the tier
 * below. Without `script` nothing is implemented: an install is bookkeeping only.
 */
export function tieredBlueprint(tiers: number, instancesPerTier: number, script: string | undefined): string {
  const templates = Array.from({ length: tiers }, (_, tier) => template(tier, instancesPerTier, script))
  return `tosca_definitions_version: cloudify_dsl_1_5
imports:
  - cloudify/types/types.yaml
node_templates:
${templates.join('')}`
}

function template(tier: number, instances: number, script: string | undefined): string {
  const relationship = `    relationships:
      - type: cloudify.relationships.depends_on
        target: tier_${tier - 1}
        properties: { connection_type: all_to_one }
`
  const operation = `    interfaces:
      cloudify.interfaces.lifecycle:
        create: { implementation: ${script}, executor: central_deployment_agent }
`
  return `  tier_${tier}:
    type: cloudify.nodes.Root
    capabilities: { scalable: { properties: { default_instances: ${instances} } } }
${tier === 0 ? '' : relationship}${script === undefined ? '' : operation}`
}
