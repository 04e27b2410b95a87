import { expect, test } from 'vitest'
import { planOf } from '../../test/parse.ts'
import {
  createDeploymentPlan,
  type DeploymentPlan,
  type DeploymentPlanRequest,
  DslError,
  type Json,
} from '../index.ts'

const V5 = 'tosca_definitions_version: cloudify_dsl_1_5\n'

async function deploy(text: string, request: Partial<DeploymentPlanRequest> = {}): Promise<DeploymentPlan> {
  let random = 0
  const outcome = createDeploymentPlan({
    plan: await planOf(`${V5}${text}`),
    inputs: {},
    randomId: () => (random++).toString(36).padStart(6, '0'),
    secretExists: () => true,
    ...request,
  })
  if (!outcome.ok) throw outcome.error
  return outcome.deploymentPlan
}

async function outputOf(value: string, more = ''): Promise<Json | undefined> {
  const plan = await deploy(`outputs: {o: {value: ${value}}}\n${more}`)
  return plan.outputs.o?.value
}

async function failure(text: string, request: Partial<DeploymentPlanRequest> = {}): Promise<string> {
  try {
    await deploy(text, request)
  } catch (error) {
    if (error instanceof DslError) return error.errorClass
    throw error
  }
  return 'none'
}

const NODES = `
inputs: {list: {default: [{a: 1}, {a: 2}]}, name: {default: {concat: [x, y]}}}
node_types: {t: {properties: {p: {}, q: {default: {get_property: [SELF, p]}}}}}
node_templates:
  a: {type: t, properties: {p: of-a}}
  b: {type: t, properties: {p: {deep: [{get_property: [a, q]}, 2]}}}
`

test.each([
  ['{get_input: [list, 1, a]}', 2],
  ['{get_input: name}', 'xy'],
  ['{get_property: [b, q, deep, 0]}', 'of-a'],
  ['{concat: [a, 1, true, null, 1.5, [1, "x"], {k: "it\'s"}]}', `a1TrueNone1.5[1, 'x']{'k': "it's"}`],
  ['{concat: [{get_input: name}, {get_secret: s}, !!str 1]}', { concat: ['xy', { get_secret: 's' }, '1'] }],
  ['{merge: [{a: 1, b: 1}, {get_input: [list, 1]}]}', { a: 2, b: 1 }],
  ['{string_find: [hello, l]}', 2],
  ['{string_find: [hello, z]}', -1],
  ['{string_replace: [aaa, a, b, 2]}', 'bba'],
  ['{string_replace: [ab, "", "-"]}', '-a-b-'],
  ['{string_split: ["a,b", ","]}', ['a', 'b']],
  ['{string_split: ["a,b", ",", 1]}', 'b'],
  ['{string_upper: {get_input: name}}', 'XY'],
  ['{get_input: name, other: 1}', { get_input: 'name', other: 1 }],
  ['{get_nothing: name}', { get_nothing: 'name' }],
])('%s gives %j', async (value, expected) => {
  expect(await outputOf(value, NODES)).toEqual(expected)
})

test.each([
  ['FunctionEvaluationError', `outputs: {o: {value: {string_upper: {get_secret: s}}}}`],
  [
    'FunctionEvaluationError',
    `inputs: {i: {}}\noutputs: {o: {value: {get_input: [i, {get_secret: s}]}}}`,
    { i: {} },
  ],
  ['InputEvaluationError', `inputs: {i: {}}\noutputs: {o: {value: {get_input: [i, k]}}}`, { i: {} }],
  [
    'InputEvaluationError',
    `inputs: {i: {}}\noutputs: {o: {value: {get_input: i, type: integer}}}`,
    { i: 'x' },
  ],
  [
    'EvaluationRecursionLimitReached',
    `node_types: {t: {properties: {a: {default: {get_property: [SELF, b]}}, b: {default: {get_property: [SELF, a]}}}}}\nnode_templates: {n: {type: t}}`,
  ],
  [
    'EvaluationRecursionLimitReached',
    `node_types: {t: {properties: {a: {default: {get_property: [SELF, a]}}}}}\nnode_templates: {n: {type: t}}`,
  ],
  [
    'EvaluationRecursionLimitReached',
    `node_types: {t: {properties: {${Array.from({ length: 45 }, (_, n) => `p${n}: {default: [{get_property: [SELF, p${n + 1}]}, {get_property: [SELF, p${n + 1}]}]}`).join(', ')}, p45: {default: x}}}}\nnode_templates: {n: {type: t}}`,
  ],
])(
  '%s is reported for what cannot be evaluated',
  async (expected, text, inputs: Record<string, Json> = {}) => {
    expect(await failure(text, { inputs })).toBe(expected)
  },
)

test('secrets that are named literally must exist, and only where functions are looked for', async () => {
  const text = `outputs: {o: {value: {get_secret: [deep, key]}}, p: {value: {get_secret: {get_attribute: [n, s]}}}}
node_types: {t: {}}
node_templates: {n: {type: t}}`
  expect(await failure(text, { secretExists: (key) => key !== 'deep' })).toBe('UnknownSecretError')
  expect(await failure(text, { secretExists: (key) => key === 'deep' })).toBe('none')
})

test('operations that keep functions are marked, under both names', async () => {
  const plan = await deploy(`
plugins: {p: {executor: central_deployment_agent, install: false}}
node_types: {t: {}}
node_templates: {n: {type: t, interfaces: {i: {o: {implementation: p.f, inputs: {x: {get_attribute: [SELF, a]}}}, q: {implementation: p.f, inputs: {x: {concat: [a, b]}}}}}}}`)
  const flags = Object.entries(plan.nodes[0]?.operations ?? {}).map(([name, o]) => [
    name,
    o.has_intrinsic_functions,
  ])
  expect(Object.fromEntries(flags)).toEqual({ o: true, 'i.o': true, q: false, 'i.q': false })
})

test('with run-time-only evaluation functions stay, but instance numbers are numbers', async () => {
  const plan = await deploy(
    `inputs: {n: {default: 3}}
node_types: {t: {properties: {p: {default: {get_input: n}}}}}
node_templates: {n: {type: t, capabilities: {scalable: {properties: {default_instances: {get_input: n}}}}}}`,
    { runtimeOnlyEvaluation: true },
  )
  expect(plan.nodes[0]?.properties).toEqual({ p: { get_input: 'n' } })
  expect(plan.node_instances).toHaveLength(3)
})

test('every capability of another deployment is listed, for each instance that uses it', async () => {
  const plan = await deploy(`
inputs: {d: {default: other}}
node_types: {t: {properties: {p: {default: {get_capability: [{get_input: d}, c]}}}}}
node_templates: {n: {type: t, instances: {deploy: 2}}}
outputs: {o: {value: {x: [{get_capability: [{get_secret: s}, c]}]}}}`)
  expect(plan.inter_deployment_functions).toEqual([
    {
      function_identifier: 'nodes.n.properties.p.get_capability',
      target_deployment: ['other', 'other'],
      context: { self: 'n_000000' },
    },
    {
      function_identifier: 'nodes.n.properties.p.get_capability',
      target_deployment: ['other', 'other'],
      context: { self: 'n_000001' },
    },
    {
      function_identifier: 'outputs.o.value.x[0].get_capability',
      target_deployment: [null, { get_secret: 's' }],
      context: {},
    },
  ])
})
