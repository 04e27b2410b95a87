import { expect, test } from 'vitest'
import { planOf } from '../../test/parse.ts'
import { deploymentUpdateSteps, modifiedEntityIds, type Plan, withStoredInstances } from '../index.ts'

const TYPES = `tosca_definitions_version: cloudify_dsl_1_5
plugins: {p: {executor: central_deployment_agent, install: false}}
node_types: {t: {properties: {a: {default: 1}, b: {required: false}}}, u: {}}
relationships:
  cloudify.relationships.depends_on: {properties: {x: {default: 1}}}
  cloudify.relationships.contained_in: {derived_from: cloudify.relationships.depends_on}
`

const R = 'cloudify.relationships.depends_on'

async function steps(before: string, after: string): Promise<readonly string[]> {
  const [old, next]: [Plan, Plan] = [await planOf(`${TYPES}${before}`), await planOf(`${TYPES}${after}`)]
  return deploymentUpdateSteps(old, next).map(
    ({ action, entity_type, entity_id, topology_order, supported }) =>
      `${action} ${entity_type} ${entity_id.join(':')} ${topology_order}${supported ? '' : ' unsupported'}`,
  )
}

test('the same blueprint gives no steps', async () => {
  const text = `node_templates: {n: {type: t}, m: {type: t, relationships: [{type: ${R}, target: n}]}}\noutputs: {o: {value: 1}}`
  expect(await steps(text, text)).toEqual([])
})

test('new nodes come in the order of their dependencies, and relationships after them', async () => {
  expect(
    await steps(
      'node_templates: {old: {type: t}}',
      `node_templates:
  a: {type: t, relationships: [{type: ${R}, target: b}]}
  b: {type: t, relationships: [{type: ${R}, target: c}]}
  old: {type: t, relationships: [{type: ${R}, target: c}]}
  c: {type: t}`,
    ),
  ).toEqual(
    [
      'add node nodes:c 2 ',
      'add node nodes:b 1 ',
      'add node nodes:a 0 ',
      'add relationship nodes:old:relationships:0 0 ',
    ].map((s) => s.trim()),
  )
})

test('removals come first, relationships before nodes', async () => {
  expect(
    await steps(
      `node_templates: {n: {type: t, relationships: [{type: ${R}, target: m}]}, m: {type: t}}\noutputs: {o: {value: 1}}`,
      'node_templates: {n: {type: t, properties: {b: 2}}}\noutputs: {q: {value: 1}}',
    ),
  ).toEqual([
    'remove relationship nodes:n:relationships:0 0',
    'remove output outputs:o 0',
    'remove node nodes:m 0',
    'add property nodes:n:properties:b 0',
    'add output outputs:q 0',
  ])
})

test('relationships are matched by type and target; another position is a modification', async () => {
  const relationship = (target: string, x: number): string =>
    `{type: ${R}, target: ${target}, properties: {x: ${x}}}`
  const nodes = (list: string): string =>
    `node_templates: {a: {type: t}, b: {type: t}, n: {type: t, relationships: [${list}]}}`
  expect(
    await steps(
      nodes(`${relationship('a', 1)}, ${relationship('b', 1)}`),
      nodes(`${relationship('b', 1)}, ${relationship('a', 2)}`),
    ),
  ).toEqual([
    'modify relationship nodes:n:relationships:1:0 0',
    'modify relationship nodes:n:relationships:0:1 0',
    'modify property nodes:n:relationships:1:properties:x 0 unsupported',
  ])
})

test('another type, another container and other group members are not supported', async () => {
  expect(
    await steps(
      'node_templates: {n: {type: t}, m: {type: t}}\ngroups: {g: {members: [n]}}',
      'node_templates: {n: {type: u}, m: {type: t}}\ngroups: {g: {members: [m]}}',
    ),
  ).toEqual(['modify node nodes:n 0 unsupported', 'modify group groups:g 0 unsupported'])
})

test('operations show under both names, and modified ids are gathered by type', async () => {
  const node = (input: number): string =>
    `node_templates: {n: {type: t, interfaces: {i: {o: {implementation: p.f, inputs: {x: ${input}}}}}}}`
  expect(await steps(node(1), node(2))).toEqual([
    'modify operation nodes:n:operations:o 0',
    'modify operation nodes:n:operations:i.o 0',
  ])
  const plans = [await planOf(`${TYPES}${node(1)}`), await planOf(`${TYPES}${node(2)}`)] as const
  expect(modifiedEntityIds(deploymentUpdateSteps(...plans))).toMatchObject({
    operation: ['n'],
    node: [],
    relationship: {},
    rel_mappings: {},
  })
})

test('nodes that exist keep their numbers unless instances.deploy says otherwise', async () => {
  const plan = await planOf(`${TYPES}node_templates:
  a: {type: t, capabilities: {scalable: {properties: {default_instances: 5}}}}
  b: {type: t, instances: {deploy: 4}}
  c: {type: t, instances: {deploy: 2}}`)
  const stored = ['a', 'b'].map((id) => ({ id, number_of_instances: 2, planned_number_of_instances: 3 }))
  const numbers = withStoredInstances(plan, stored).nodes.map(({ capabilities }) => [
    capabilities.scalable.properties.current_instances,
    capabilities.scalable.properties.planned_instances,
  ])
  expect(numbers).toEqual([
    [2, 3],
    [2, 4],
    [2, 2],
  ])
})
