import { expect, test } from 'vitest'
import { mistakesOf, type Surroundings } from '../test/parse.ts'

const V5 = 'tosca_definitions_version: cloudify_dsl_1_5\n'
const BASE = `${V5}
plugins: {p: {executor: central_deployment_agent, install: false}}
node_types:
  t: {properties: {size: {default: 1}, kind: {type: string, required: false}}}
  cloudify.nodes.Compute: {}
relationships:
  cloudify.relationships.depends_on: {properties: {connection_type: {default: all_to_all}}}
  cloudify.relationships.contained_in: {derived_from: cloudify.relationships.depends_on}
  cloudify.relationships.depends_on_lifecycle_operation:
    derived_from: cloudify.relationships.depends_on
    properties: {operation: {type: string, required: false}}
`

/** Blueprint → class and code of its first mistake (docs/reference/language/errors.md). */
const CASES: readonly (readonly [name: string, expected: string, text: string, around?: Surroundings])[] = [
  ['malformed YAML', 'Format -1', `${V5}a: [`],
  ['a tab as indentation', 'Format -1', `${V5}inputs:\n\tx: 1\n`],
  ['a text that is no mapping', 'Format 1', '- a\n'],
  ['a non-string key in a schema', 'Format 1', `${V5}inputs: {1: {}}`],
  ['an unknown section', 'Format 1', `${V5}upload_resources: {}`],
  ['an import given twice', 'Format 2', `${V5}imports: [a.yaml, a.yaml]`, { imports: { 'a.yaml': '' } }],
  [
    'outputs in two files of an old version',
    'Logic 3',
    'tosca_definitions_version: cloudify_dsl_1_0\nimports: [a.yaml]\noutputs: {a: {value: 1}}',
    { imports: { 'a.yaml': 'outputs: {b: {value: 1}}' } },
  ],
  [
    'deployment settings in two files',
    'Logic 3',
    `${V5}imports: [a.yaml]\ndeployment_settings: {id_template: a}`,
    { imports: { 'a.yaml': 'deployment_settings: {display_name: b}' } },
  ],
  [
    'one node type in two files',
    'Logic 4',
    `${V5}imports: [a.yaml]\nnode_types: {a: {}}`,
    { imports: { 'a.yaml': 'node_types: {a: {}}' } },
  ],
  ['an unknown node type', 'Logic 7', `${BASE}node_templates: {n: {type: tt}}`],
  [
    'an implementation that is nothing',
    'Logic 10',
    `${BASE}node_templates: {n: {type: t, interfaces: {i: {o: nothing.sh}}}}`,
  ],
  ['an import that is not there', 'Logic 13', `${V5}imports: [nowhere.yaml]`],
  ['a plugin that is not there', 'InvalidBlueprintImport null', `${V5}imports: ['plugin:nothing']`],
  ['a bad plugin executor', 'Logic 18', `${V5}plugins: {p: {executor: me, install: false}}`],
  [
    'a bad implementation in a relationship type',
    'Logic 19',
    `${V5}relationships: {r: {source_interfaces: {i: {o: nothing.sh}}}}`,
  ],
  ['a bad workflow mapping', 'Logic 21', `${V5}workflows: {w: nothing.sh}`],
  [
    'a relationship to itself',
    'Logic 23',
    `${BASE}node_templates: {n: {type: t, relationships: [{type: cloudify.relationships.depends_on, target: n}]}}`,
  ],
  [
    'a host agent without a host',
    'Logic 24',
    `${BASE}node_templates: {n: {type: t, interfaces: {i: {o: {implementation: p.f, executor: host_agent}}}}}`,
  ],
  [
    'a relationship to nothing',
    'Logic 25',
    `${BASE}node_templates: {n: {type: t, relationships: [{type: cloudify.relationships.depends_on, target: m}]}}`,
  ],
  [
    'an unknown relationship type',
    'Logic 26',
    `${BASE}node_templates: {m: {type: t}, n: {type: t, relationships: [{type: r, target: m}]}}`,
  ],
  ['no version', 'Logic 27', 'inputs: {}'],
  [
    'a newer import',
    'Logic 28',
    'tosca_definitions_version: cloudify_dsl_1_3\nimports: [a.yaml]',
    { imports: { 'a.yaml': V5 } },
  ],
  [
    'a bad operation executor',
    'Logic 28',
    `${BASE}node_templates: {n: {type: t, interfaces: {i: {o: {implementation: p.f, executor: me}}}}}`,
  ],
  ['an unknown version', 'Logic 29', 'tosca_definitions_version: cloudify_dsl_2_0'],
  ['an unknown group member', 'Logic 40', `${BASE}groups: {g: {members: [n]}}`],
  [
    'an unknown policy type',
    'Logic 41',
    `${BASE}node_templates: {n: {type: t}}\ngroups: {g: {members: [n], policies: {p: {type: x}}}}`,
  ],
  [
    'an unknown policy trigger',
    'Logic 42',
    `${BASE}node_templates: {n: {type: t}}\npolicy_types: {x: {source: s}}\ngroups: {g: {members: [n], policies: {p: {type: x, triggers: {t: {type: y}}}}}}`,
  ],
  ['a plugin without source', 'Logic 50', `${V5}plugins: {p: {executor: host_agent}}`],
  [
    'a script path given by the author',
    'Logic 60',
    `${V5}plugins: {script: {executor: host_agent, install: false}}\nnode_types: {t: {}}\nnode_templates: {n: {type: t, interfaces: {i: {o: {implementation: a.sh, inputs: {script_path: x}}}}}}`,
    { files: ['a.sh'] },
  ],
  [
    'a script without the script plugin',
    'Logic 61',
    `${BASE}node_templates: {n: {type: t, interfaces: {i: {o: a.sh}}}}`,
    { files: ['a.sh'] },
  ],
  [
    'an ambiguous plugin prefix',
    'Logic 91',
    `${V5}plugins: {a: {executor: host_agent, install: false}, a.b: {executor: host_agent, install: false}}\nworkflows: {w: a.b.c}`,
  ],
  ['types derived in a circle', 'Logic 100', `${V5}node_types: {a: {derived_from: b}, b: {derived_from: a}}`],
  [
    'nodes related in a circle',
    'Logic 100',
    `${BASE}node_templates:
  a: {type: t, relationships: [{type: cloudify.relationships.depends_on, target: b}]}
  b: {type: t, relationships: [{type: cloudify.relationships.depends_on, target: a}]}`,
  ],
  ['a data type within itself', 'Logic 100', `${V5}data_types: {a: {properties: {x: {type: a}}}}`],
  [
    'a section newer than the version',
    'Logic 102',
    'tosca_definitions_version: cloudify_dsl_1_2\nresource_tags: {a: b}',
  ],
  ['an unknown property type', 'Logic 103', `${V5}node_types: {a: {properties: {x: {type: nothing}}}}`],
  ['an unknown parent', 'Logic 103', `${V5}node_types: {a: {derived_from: nothing}}`],
  ['an unknown constraint', 'Logic 103', `${V5}inputs: {a: {constraints: [{longer: 1}]}}`],
  [
    'two constraints in one',
    'Logic 103',
    `${V5}inputs: {a: {constraints: [{min_length: 1, max_length: 2}]}}`,
  ],
  ['a primitive type redefined', 'Logic 104', `${V5}data_types: {string: {}}`],
  ['a value of the wrong type', 'Logic 105', `${V5}inputs: {a: {type: integer, default: x}}`],
  ['a float for an integer', 'Logic 105', `${V5}inputs: {a: {type: integer, default: 5.0}}`],
  ['an undefined property', 'Logic 106', `${BASE}node_templates: {n: {type: t, properties: {sise: 1}}}`],
  [
    'a missing property',
    'Logic 107',
    `${V5}node_types: {t: {properties: {a: {}}}}\nnode_templates: {n: {type: t}}`,
  ],
  [
    'a missing operation input',
    'Logic 107',
    `${V5}plugins: {p: {executor: host_agent, install: false}}\nnode_types: {t: {interfaces: {i: {o: {implementation: p.f, inputs: {a: {required: false}}}}}}}\nnode_templates: {n: {type: t}}`,
  ],
  ['text beyond ASCII', 'InputType 108', `${V5}description: "für"`],
  [
    'two containers',
    'Logic 112',
    `${BASE}node_templates:
  a: {type: t}
  b: {type: t}
  n: {type: t, relationships: [{type: cloudify.relationships.contained_in, target: a}, {type: cloudify.relationships.contained_in, target: b}]}`,
  ],
  [
    'scaling groups within each other',
    'Logic 200',
    `${BASE}groups: {a: {members: [b]}, b: {members: [a]}}\npolicies: {p: {type: cloudify.policies.scaling, targets: [a, b]}}`,
  ],
  [
    'a node in two scaling groups',
    'Logic 201',
    `${BASE}node_templates: {n: {type: t}}\ngroups: {a: {members: [n]}, b: {members: [n]}}\npolicies: {p: {type: cloudify.policies.scaling, targets: [a, b]}}`,
  ],
  [
    'a contained and an uncontained node in one scaling group',
    'Logic 202',
    `${BASE}node_templates:
  a: {type: t}
  b: {type: t}
  c: {type: t, relationships: [{type: cloudify.relationships.contained_in, target: a}]}
groups: {g: {members: [b, c]}}
policies: {p: {type: cloudify.policies.scaling, targets: [g]}}`,
  ],
  ['an unsupported policy', 'Logic 204', `${BASE}policies: {p: {type: x, targets: []}}`],
  [
    'a policy for no group',
    'Logic 205',
    `${BASE}policies: {p: {type: cloudify.policies.scaling, targets: [x]}}`,
  ],
  [
    'a policy without targets',
    'Logic 206',
    `${BASE}policies: {p: {type: cloudify.policies.scaling, targets: []}}`,
  ],
  [
    'a default above the maximum',
    'Logic 207',
    `${BASE}node_templates: {n: {type: t, capabilities: {scalable: {properties: {default_instances: 3, max_instances: 2}}}}}`,
  ],
  [
    'a number of instances as text',
    'Logic 208',
    `${BASE}node_templates: {n: {type: t, capabilities: {scalable: {properties: {max_instances: many}}}}}`,
  ],
  [
    'both forms of instance numbers',
    'Logic 209',
    `${BASE}node_templates: {n: {type: t, instances: {deploy: 1}, capabilities: {scalable: {properties: {max_instances: 1}}}}}`,
  ],
  [
    'a dict as number of instances',
    'Logic 210',
    `${BASE}node_templates: {n: {type: t, capabilities: {scalable: {properties: {max_instances: {a: 1}}}}}}`,
  ],
  [
    'a group named like a node',
    'Logic 211',
    `${BASE}node_templates: {n: {type: t}}\ngroups: {n: {members: [n]}}`,
  ],
  ['a bad constraint argument', 'Logic 212', `${V5}inputs: {a: {constraints: [{equal: text}]}}`],
  ['a namespace in a namespace', 'Logic 212', `${V5}imports: [a--b--c.yaml]`],
  [
    'a function with constraints',
    'DSLParsingException 213',
    `${V5}inputs: {a: {}, b: {default: {get_input: a}, constraints: [{min_length: 1}]}}`,
  ],
  ['a blueprint without namespace', 'Logic 213', `${V5}imports: ['blueprint:a']`],
  ['built-in types under a namespace', 'Logic 214', `${V5}imports: [x--cloudify/types/types.yaml]`],
  ['a hidden input that must be given', 'Logic 215', `${V5}inputs: {a: {hidden: true}}`],
  [
    'a lifecycle relationship without operation',
    'Logic 215',
    `${BASE}node_templates: {m: {type: t}, n: {type: t, relationships: [{type: cloudify.relationships.depends_on_lifecycle_operation, target: m}]}}`,
  ],
  [
    'a lifecycle relationship to an operation that the target lacks',
    'Logic 216',
    `${BASE}node_templates: {m: {type: t}, n: {type: t, relationships: [{type: cloudify.relationships.depends_on_lifecycle_operation, target: m, properties: {operation: start}}]}}`,
  ],
  ['display of a text', 'InputType 216', `${V5}inputs: {a: {type: string, display: {rows: 3}}}`],
  ['an item type that is no type', 'Logic 217', `${V5}inputs: {a: {type: list, item_type: x}}`],
  ['an item type of a text', 'Logic 218', `${V5}inputs: {a: {type: string, item_type: integer}}`],
  [
    'a function as use_external_resource',
    'Logic 219',
    `${V5}inputs: {i: {}}\nnode_types: {t: {properties: {use_external_resource: {default: false}}}}\nnode_templates: {n: {type: t, properties: {use_external_resource: {get_input: i}}}}`,
  ],
  ['an import of two entries', 'Format 220', `${V5}imports: [{a.yaml: {}, b.yaml: {}}]`],
  [
    'an import property that the plugin lacks',
    'Logic 221',
    `${V5}imports: ['plugin:q': {size: 1}]`,
    {
      imports: {
        'plugin:q':
          'plugins: {q: {executor: host_agent, install: false, properties: {name: {type: string}}}}',
      },
    },
  ],
  [
    'a default that violates a constraint',
    'ConstraintException null',
    `${V5}inputs: {a: {default: abc, constraints: [{max_length: 2}]}}`,
  ],
  [
    'a default for an object',
    'ConstraintException null',
    `${V5}inputs: {a: {type: secret_key, default: abc}}`,
  ],
  ['an unknown input', 'UnknownInputError null', `${V5}outputs: {o: {value: {get_input: x}}}`],
  ['a property of an unknown node', 'KeyError null', `${V5}outputs: {o: {value: {get_property: [n, x]}}}`],
  ['SELF in outputs', 'ValueError null', `${V5}outputs: {o: {value: {get_attribute: [SELF, x]}}}`],
  [
    'too few retries',
    'ValueError null',
    `${BASE}node_templates: {n: {type: t, interfaces: {i: {o: {implementation: p.f, max_retries: -2}}}}}`,
  ],
  [
    'an unknown entity of the system',
    'UnknownSysEntityError null',
    `${V5}outputs: {o: {value: {get_sys: [x, y]}}}`,
  ],
  [
    'an unknown property of the system',
    'UnknownSysPropertyError null',
    `${V5}outputs: {o: {value: {get_sys: [tenant, y]}}}`,
  ],
  [
    'a bad time',
    'NonRecoverableError null',
    `${V5}deployment_settings: {default_schedules: {s: {workflow: w, since: '25:00'}}}`,
  ],
  [
    'a bad weekday',
    'DSLParsingException 1',
    `${V5}deployment_settings: {default_schedules: {s: {workflow: w, since: '12:00', weekdays: [today]}}}`,
  ],
  ['a label that is a number', 'DSLParsingException 1', `${V5}labels: {a: {values: [1]}}`],
]

const rows = CASES.map(([name, expected, text, around = {}]) => ({ name, expected, text, around }))

test.each(rows)('$name is $expected', async ({ expected, text, around }) => {
  const [first] = await mistakesOf(text, around)
  const name = first?.errorClass.replace(/^DSLParsing(Format|Logic|InputType)Exception$/, '$1')
  expect(`${name} ${first?.code}`).toBe(expected)
})

test('a mistake is shown where it stands, with what was probably meant', async () => {
  const [first] = await mistakesOf(`${BASE}
node_templates:
  n:
    type: t
    properties:
      sise: 2
`)
  expect(first).toMatchObject({
    file: 'file:/bp/blueprint.yaml',
    line: 18,
    column: 6,
    path: 'node_templates.n.properties.sise',
    suggestion: 'size',
    isDslError: true,
  })
})

test('all independent mistakes are reported at once, and what follows from them is not', async () => {
  const mistakes = await mistakesOf(`${BASE}
node_templates:
  a: {type: unknown, relationships: [{type: cloudify.relationships.depends_on, target: b}]}
  b: {type: t, properties: {nothing: 1}}
  c: {typ: t}
  d: {type: t, relationships: [{type: cloudify.relationships.depends_on, target: a}]}
inputs:
  x: {type: nothing}
outputs:
  o: {description: no value}
`)
  expect(mistakes.map(({ path }) => path).sort()).toEqual([
    'inputs.x.type',
    'node_templates.a.type',
    'node_templates.b.properties.nothing',
    'node_templates.c.typ',
    'node_templates.c.type',
    'outputs.o.value',
  ])
})

test('a mistake of a type is reported once, however many nodes have the type', async () => {
  const mistakes = await mistakesOf(`${V5}
node_types: {broken: {interfaces: {i: {o: nothing.sh}}}}
node_templates: {a: {type: broken}, b: {type: broken}, c: {type: broken}}
`)
  expect(mistakes.map(({ path }) => path)).toEqual(['node_types.broken.interfaces.i.o'])
})
