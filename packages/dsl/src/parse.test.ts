import fc from 'fast-check'
import { expect, test } from 'vitest'
import { differenceOf } from '../corpus/difference.ts'
import { jsonOf } from '../corpus/run-case.ts'
import { parse, planOf } from '../test/parse.ts'
import { createDeploymentPlan, diagnosticText, type Json } from './index.ts'
import { isList, isObject } from './json.ts'

/** A blueprint that has something of everything. */
const EVERYTHING: Json = {
  tosca_definitions_version: 'cloudify_dsl_1_5',
  imports: ['cloudify/types/types.yaml', 'x--other.yaml'],
  description: 'all of it',
  metadata: { a: 1 },
  dsl_definitions: { a: [1] },
  inputs: {
    i: { type: 'string', default: 'v', constraints: [{ max_length: 5 }], display_label: 'I', hidden: false },
    l: { type: 'list', item_type: 'integer', default: [1, 2] },
    d: { type: 'point', default: { x: 5 } },
  },
  data_types: {
    point: { properties: { x: { type: 'integer', default: 1 }, y: { type: 'integer', default: 2 } } },
    big: { derived_from: 'point', properties: { p: { type: 'point' } }, description: 'b', version: '1' },
  },
  plugins: {
    p: {
      executor: 'central_deployment_agent',
      package_name: 'p',
      package_version: '1',
      properties: { q: { type: 'string', value: 'w' } },
    },
  },
  node_types: {
    t: {
      derived_from: 'cloudify.nodes.Root',
      properties: { p: { type: 'big', default: { x: 3 } }, q: { default: { get_input: 'i' } } },
      interfaces: {
        my: { op: { implementation: 'p.f', inputs: { a: { type: 'integer', default: 1 } }, max_retries: 1 } },
      },
    },
  },
  relationships: {
    r: {
      derived_from: 'cloudify.relationships.connected_to',
      properties: { z: { default: 1 } },
      source_interfaces: {
        my: {
          link: { implementation: 'p.g', inputs: { b: { default: { get_attribute: ['SOURCE', 'a'] } } } },
        },
      },
    },
  },
  node_templates: {
    vm: {
      type: 'cloudify.nodes.Compute',
      capabilities: { scalable: { properties: { default_instances: 2 } } },
    },
    n: {
      type: 't',
      properties: { p: { p: { y: 9 } } },
      interfaces: {
        my: { op: { inputs: { a: { get_property: ['SELF', 'p', 'x'] } } }, run: 'scripts/a.sh' },
      },
      relationships: [
        { type: 'cloudify.relationships.contained_in', target: 'vm' },
        {
          type: 'r',
          target: 'm',
          properties: { z: 2 },
          source_interfaces: { my: { link: { inputs: { b: 1 } } } },
        },
      ],
    },
    m: { type: 'x--u', instances: { deploy: 1 } },
  },
  groups: { g: { members: ['n', 'vm'] } },
  policies: {
    s: { type: 'cloudify.policies.scaling', targets: ['g'], properties: { default_instances: 2 } },
  },
  workflows: {
    w: { mapping: 'p.w', parameters: { k: { type: 'string', default: 'x' } }, is_cascading: true },
  },
  outputs: { o: { value: { concat: ['a', { get_attribute: ['n', 'x'] }] }, description: 'o' } },
  capabilities: { c: { value: { get_property: ['n', 'q'] } } },
  labels: { k: { values: ['v', { get_input: 'i' }] } },
  blueprint_labels: { k: { values: ['v'] } },
  resource_tags: { t: 'v' },
  deployment_settings: {
    display_name: 'd',
    default_schedules: { s: { workflow: 'w', since: '+1 day', recurrence: '1 day' } },
  },
}

const AROUND = {
  imports: {
    'other.yaml': 'node_types: {u: {properties: {v: {default: {get_input: w}}}}}\ninputs: {w: {default: 1}}',
  },
  files: ['scripts/a.sh'],
}

test('a blueprint with something of everything has a plan and a deployment plan', async () => {
  const plan = await planOf(JSON.stringify(EVERYTHING), AROUND)
  const outcome = createDeploymentPlan({ plan, inputs: {}, randomId: counter() })
  expect(outcome.ok && outcome.deploymentPlan.node_instances.map(({ node_id }) => node_id).sort()).toEqual([
    'm',
    ...Array(4).fill('n'),
    ...Array(4).fill('vm'),
  ])
})

function counter(): () => string {
  let next = 0
  return () => (next++).toString(36).padStart(6, '0')
}

function pathsOf(
  value: Json,
  path: readonly (string | number)[] = [],
): readonly (readonly (string | number)[])[] {
  const inner = isList(value)
    ? value.flatMap((item, index) => pathsOf(item, [...path, index]))
    : isObject(value)
      ? Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...path, key]))
      : []
  return path.length === 0 ? inner : [path, ...inner]
}

function replaced(value: Json, path: readonly (string | number)[], by: Json | undefined): Json {
  const [key, ...rest] = path
  if (key === undefined) return by ?? null
  if (isList(value)) return value.map((item, index) => (index === key ? replaced(item, rest, by) : item))
  if (!isObject(value)) return value
  if (rest.length === 0 && by === undefined)
    return Object.fromEntries(Object.entries(value).filter(([k]) => k !== key))
  return { ...value, [key]: replaced(value[key] ?? null, rest, by) }
}

const WORDS = [
  'n',
  'vm',
  'g',
  't',
  'point',
  'i',
  'SELF',
  'get_input',
  'get_property',
  'concat',
  'type',
  'default',
  '',
  'x--u',
]

test('whatever is changed in it, there is a plan or there are mistakes, never a crash', async () => {
  const paths = pathsOf(EVERYTHING)
  const word = fc.constantFrom(...WORDS)
  const value: fc.Arbitrary<Json | undefined> = fc.oneof(
    fc.constant(undefined),
    fc.constant(null),
    fc.constantFrom<Json>(true, 0, -1, 1.5, 1e9),
    word,
    fc.array(word, { maxLength: 3 }),
    fc.dictionary(word, fc.oneof(word, fc.constant(null), fc.array(word, { maxLength: 2 })), { maxKeys: 2 }),
  )
  const change = fc.record({ path: fc.constantFrom(...paths), value })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
      let blueprint: Json = EVERYTHING
      for (const { path, value: by } of changes) blueprint = replaced(blueprint, path, by)
      const outcome = await parse(JSON.stringify(blueprint), AROUND)
      if (!outcome.ok) {
        for (const diagnostic of outcome.diagnostics) expect(diagnosticText(diagnostic)).not.toBe('')
        return
      }
      createDeploymentPlan({ plan: outcome.plan, inputs: {}, randomId: counter(), secretExists: () => true })
    }),
    { numRuns: 400 },
  )
})

function reversed(value: Json): Json {
  if (isList(value)) return value.map(reversed)
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, inner]): [string, Json] => [key, reversed(inner)])
  return Object.fromEntries(entries.toReversed())
}

test('the plan is the same whatever the order of keys', async () => {
  const plan = await planOf(JSON.stringify(EVERYTHING), AROUND)
  const other = await planOf(JSON.stringify(reversed(EVERYTHING)), AROUND)
  expect(differenceOf(jsonOf(plan), jsonOf(other), { freeText: true })).toBeNull()
})

test('a script name is looked for among the files before the plugins', async () => {
  const plan = await planOf(
    `tosca_definitions_version: cloudify_dsl_1_5
plugins: {script: {executor: host_agent, install: false}, p: {executor: central_deployment_agent, install: false}}
node_types: {t: {}}
node_templates:
  n:
    type: t
    interfaces:
      i:
        file: p.f
        path: ./sub/../a.sh
        url: https://example.com/a.sh
        inline: "echo 1\\necho 2"
        none: ''
        other: p.g`,
    { files: ['p.f', 'a.sh'] },
  )
  const operations = plan.nodes[0]?.operations ?? {}
  expect(
    Object.fromEntries(
      ['file', 'path', 'url', 'inline', 'none', 'other'].map((name) => [name, operations[name]]),
    ),
  ).toMatchObject({
    file: { plugin: 'script', executor: 'auto', inputs: { script_path: 'p.f' } },
    path: { inputs: { script_path: './sub/../a.sh' } },
    url: { inputs: { script_path: 'https://example.com/a.sh' } },
    inline: { inputs: { script_source: 'echo 1\necho 2' } },
    none: { plugin: '', operation: '', executor: null },
    other: { plugin: 'p', operation: 'g', executor: 'central_deployment_agent' },
  })
})

test('a node with two relationships to one target is accepted with a warning', async () => {
  const outcome = await parse(`tosca_definitions_version: cloudify_dsl_1_5
imports: [cloudify/types/types.yaml]
node_templates:
  a: {type: cloudify.nodes.Root}
  b:
    type: cloudify.nodes.Root
    relationships:
      - {type: cloudify.relationships.depends_on, target: a}
      - {type: cloudify.relationships.connected_to, target: a}`)
  expect(outcome.ok && outcome.warnings.map(({ path }) => path)).toEqual(['node_templates.b.relationships'])
})
