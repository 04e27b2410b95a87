/** A blueprint of `count` nodes in ten containment tiers, each node connected to two others. */
export function benchBlueprint(count: number): string {
  const tiers = 10
  const perTier = Math.ceil(count / tiers)
  const lines = [
    'tosca_definitions_version: cloudify_dsl_1_4',
    'imports: [cloudify/types/types.yaml]',
    'inputs:',
    '  port: {type: integer, default: 8080}',
    'node_templates:',
  ]
  for (let index = 0; index < count; index++) {
    const tier = Math.floor(index / perTier)
    lines.push(
      `  node_${index}:`,
      `    type: cloudify.nodes.${tier === 0 ? 'Compute' : 'WebServer'}`,
      '    properties:',
      tier === 0 ? '      ip: 10.0.0.1' : '      port: {get_input: port}',
      '    interfaces:',
      '      cloudify.interfaces.lifecycle:',
      '        create:',
      '          implementation: scripts/create.sh',
      '          inputs:',
      '            name: {get_property: [SELF, resource_id_of]}'.replace(
        'resource_id_of',
        tier === 0 ? 'ip' : 'port',
      ),
      '    relationships:',
    )
    if (tier > 0) {
      lines.push(
        '      - type: cloudify.relationships.contained_in',
        `        target: node_${index - perTier}`,
      )
    }
    for (const target of [Math.floor(index / 2), Math.floor(index / 3)]) {
      if (target === index || target === index - perTier) continue
      lines.push('      - type: cloudify.relationships.connected_to', `        target: node_${target}`)
    }
  }
  return `${lines.join('\n')}\n`
}

/** Two nodes, one in the other, in a scaling group of `count`. */
export function scalingBlueprint(count: number): string {
  return `tosca_definitions_version: cloudify_dsl_1_5
imports: [cloudify/types/types.yaml]
node_templates:
  host: {type: cloudify.nodes.Compute}
  app: {type: cloudify.nodes.Root, relationships: [{type: cloudify.relationships.contained_in, target: host}]}
groups: {all: {members: [host]}}
policies: {grow: {type: cloudify.policies.scaling, targets: [all], properties: {default_instances: ${count}}}}
`
}
