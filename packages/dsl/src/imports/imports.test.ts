import { expect, test } from 'vitest'
import { mistakesOf, planOf, resolverOf } from '../../test/parse.ts'
import { type ImportRequest, parseBlueprint } from '../index.ts'

const V5 = 'tosca_definitions_version: cloudify_dsl_1_5\n'

test('a location is tried beside the importing file, then below the resource root, with the version first', async () => {
  const asked: ImportRequest[] = []
  await parseBlueprint({
    mainFile: 'file:/bp/main/blueprint.yaml',
    text: 'tosca_definitions_version: cloudify_dsl_1_4\nimports: [a/b.yaml]',
    files: new Set(),
    resolve: async (request) => {
      asked.push(request)
      return null
    },
    now: new Date(0),
  })
  expect(asked).toEqual([
    { kind: 'file', address: 'file:/bp/main/a/b.yaml', remote: false },
    { kind: 'resource', path: 'a/b_1_4.yaml' },
    { kind: 'resource', path: 'a/b.yaml' },
  ])
})

test('imports are relative to the file that makes them, and files that import each other are read once', async () => {
  const plan = await planOf(`${V5}imports: [sub/a.yaml]`, {
    imports: {
      'sub/a.yaml': 'imports: [b.yaml]\ninputs: {a: {}}',
      'sub/b.yaml': 'imports: [a.yaml, b.yaml]\ninputs: {b: {}}',
    },
  })
  expect(Object.keys(plan.inputs)).toEqual(['a', 'b'])
})

test('a plugin import asks for name, specifiers and distribution', async () => {
  const asked: ImportRequest[] = []
  const resolve = resolverOf({ 'plugin:demo': 'plugins: {demo: {executor: host_agent, package_name: demo}}' })
  await parseBlueprint({
    mainFile: 'file:/bp/blueprint.yaml',
    text: `${V5}imports: ['plugin:demo?version= >=1.2, <2&version=!=1.5&distribution=centos']`,
    files: new Set(),
    resolve: (request) => {
      asked.push(request)
      return resolve(request)
    },
    now: new Date(0),
  })
  expect(asked).toMatchObject([
    {
      kind: 'plugin',
      name: 'demo',
      versions: ['>=1.2', '<2', '!=1.5'],
      distribution: 'centos',
      mainVersion: [1, 5],
    },
  ])
})

test('an import puts names and references under its namespace, and built-in names stay', async () => {
  const plan = await planOf(
    `${V5}imports: [cloudify/types/types.yaml, x--a.yaml]\noutputs: {o: {value: {get_property: [x--n, port]}}}`,
    {
      imports: {
        'a.yaml': `
imports: [cloudify/types/types.yaml, y--b.yaml]
inputs: {i: {default: 1}}
node_types: {t: {derived_from: cloudify.nodes.WebServer, properties: {p: {}}}}
node_templates:
  n:
    type: t
    properties: {p: [{get_input: i}, {get_attribute: [m, ip]}, {get_attributes_list: [SELF, x]}]}
    relationships: [{type: cloudify.relationships.connected_to, target: m}]
  m: {type: cloudify.nodes.Compute}
groups: {g: {members: [n]}}
policies: {s: {type: cloudify.policies.scaling, targets: [g]}}
`,
        'b.yaml': 'inputs: {j: {}}',
      },
    },
  )
  const node = plan.nodes.find(({ name }) => name === 'x--n')
  expect(node?.type_hierarchy).toContain('x--t')
  expect(node?.properties.p).toEqual([
    { get_input: 'x--i' },
    { get_attribute: ['x--m', 'ip'] },
    { get_attributes_list: ['SELF', 'x'] },
  ])
  expect(node?.relationships[0]).toMatchObject({
    type: 'cloudify.relationships.connected_to',
    target_id: 'x--m',
  })
  expect(plan.scaling_groups['x--g']?.members).toEqual(['x--n'])
  expect(Object.keys(plan.inputs)).toEqual(['x--i', 'x--y--j'])
})

test('an imported blueprint is recorded under its namespace, nested ones too, and its scripts are found', async () => {
  const plan = await planOf(`${V5}imports: [cloudify/types/types.yaml, 'a--blueprint:one']`, {
    imports: {
      'blueprint:one': `tosca_definitions_version: cloudify_dsl_1_3
imports: [cloudify/types/types.yaml, 'b--blueprint:two']
plugins: {script: {executor: host_agent, install: false}}
node_templates: {n: {type: cloudify.nodes.Root, interfaces: {cloudify.interfaces.lifecycle: {create: scripts/a.sh}}}}`,
      'blueprint:two': 'inputs: {x: {}}',
    },
  })
  expect(plan.imported_blueprints).toEqual(['one', 'two'])
  expect(plan.namespaces_mapping).toEqual({ a: 'one', 'a--b': 'two' })
  const create = plan.nodes[0]?.operations['cloudify.interfaces.lifecycle.create']
  expect(create).toMatchObject({
    operation: 'script_runner.tasks.run',
    inputs: { script_path: 'a--scripts/a.sh' },
  })
})

test('built-in names replace what the main file says, and later files may only redefine cloudify.* names', async () => {
  const plan = await planOf(
    `${V5}imports: [cloudify/types/types.yaml, later.yaml]
plugins: {p: {executor: host_agent, install: false}}
workflows: {install: p.mine, own: p.own}`,
    { imports: { 'later.yaml': 'node_types: {cloudify.nodes.Volume: {properties: {size: {default: 1}}}}' } },
  )
  expect(plan.workflows.install?.plugin).toBe('default_workflows')
  expect(plan.workflows.own?.plugin).toBe('p')
})

test('a node template may get its relationships in another file', async () => {
  const types = `node_types: {t: {}}
relationships: {cloudify.relationships.depends_on: {}}
node_templates: {a: {type: t}, b: {type: t, relationships: []}}`
  const plan = await planOf(
    `${V5}imports: [types.yaml]
node_templates: {b: {relationships: [{type: cloudify.relationships.depends_on, target: a}]}}`,
    { imports: { 'types.yaml': types } },
  )
  expect(plan.nodes.find(({ name }) => name === 'b')?.relationships.map((r) => r.target_id)).toEqual(['a'])
})

test('labels of two files are united, the earlier value staying', async () => {
  const plan = await planOf(`${V5}imports: [a.yaml]\nlabels: {x: {values: [main]}}`, {
    imports: { 'a.yaml': 'labels: {x: {values: [other]}, y: {values: [z]}}' },
  })
  expect(plan.labels).toEqual({ x: { values: ['main'] }, y: { values: ['z'] } })
})

test('what is stored with a plugin replaces the labels and tags of its YAML', async () => {
  const outcome = await parseBlueprint({
    mainFile: 'file:/bp/blueprint.yaml',
    text: `${V5}imports: ['n--plugin:p']`,
    files: new Set(),
    resolve: async () => ({
      address: 'plugin:p',
      text: 'labels: {a: {values: [yaml]}}\nresource_tags: {t: yaml}',
      stored: { labels: { b: ['stored'] }, resource_tags: { u: 1 } },
    }),
    now: new Date(0),
  })
  expect(outcome.ok && [outcome.plan.labels, outcome.plan.resource_tags]).toEqual([
    { 'n--b': { values: ['stored'] } },
    { 'n--u': 1 },
  ])
})

test('import properties become values of the plugin', async () => {
  const plugin = `plugins:
  q: {executor: central_deployment_agent, install: false, properties: {size: {type: integer}, who: {type: string}}}
node_types: {t: {interfaces: {i: {o: q.f}}}}`
  const plan = await planOf(
    `${V5}imports: ['plugin:q': {size: 3, who: {get_secret: me}}]\nnode_templates: {n: {type: t}}`,
    { imports: { 'plugin:q': plugin } },
  )
  expect(plan.nodes[0]?.plugins[0]?.properties).toEqual({
    size: { type: 'integer', value: 3 },
    who: { type: 'string', value: { get_secret: 'me' } },
  })
})

test('sections that are null are empty', async () => {
  const plan = await planOf(`${V5}imports:\nmetadata:\nplugins:\nnode_types:\ninputs:\n`)
  expect([plan.metadata, plan.nodes]).toEqual([null, []])
})

test('a failed import is reported with the reason that the resolver gave', async () => {
  const [first] = await mistakesOf(`${V5}imports: [http://example.com/a.yaml]`)
  expect(first).toMatchObject({ code: 13, line: 2, column: 10, isDslError: true })
})
