/** So many node templates, each but the first connected to another one: ten to each of those that have any. */
export function manyTemplates(count: number): string {
  const templates = Array.from({ length: count }, (_, index) => template(index))
  return `tosca_definitions_version: cloudify_dsl_1_5
imports:
  - cloudify/types/types.yaml
node_templates:
${templates.join('')}`
}

function template(index: number): string {
  const relationship = `    relationships:
      - type: cloudify.relationships.connected_to
        target: node_${Math.floor((index - 1) / 10)}
`
  return `  node_${index}:
    type: cloudify.nodes.Root
${index === 0 ? '' : relationship}`
}
