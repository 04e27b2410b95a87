import { expect, test } from 'vitest'
import { mistakesOf, planOf } from '../../test/parse.ts'
import { createDeploymentPlan, whyUnavailable } from '../index.ts'

const V5 = 'tosca_definitions_version: cloudify_dsl_1_5\n'
const scheduled = (more: string) =>
  `${V5}deployment_settings: {default_schedules: {s: {workflow: w, since: "+1d", ${more}}}}`

test('a weekday that is none is reported with those that are', async () => {
  expect(await mistakesOf(scheduled('weekdays: [mo, 2tu, L-FR, xy]'))).toMatchObject([
    {
      errorClass: 'DSLParsingException',
      code: 1,
      message: "xy is not a valid weekday value. Accepted values: ['su', 'mo', 'tu', 'we', 'th', 'fr', 'sa']",
    },
  ])
})

test.each(['get_attribute', 'get_attributes_list', 'get_attributes_dict'])(
  '%s is no parameter of a schedule',
  async (name) => {
    expect(await mistakesOf(scheduled(`workflow_parameters: {a: {${name}: [n, x]}}`))).toMatchObject([
      { errorClass: 'DSLParsingException', code: 1, message: expect.stringContaining(name) },
    ])
  },
)

test('a pattern of names may be a number', async () => {
  const inputs = (value: string) =>
    mistakesOf(`${V5}inputs: {a: {type: blueprint_id, constraints: [{name_pattern: {ends_with: ${value}}}]}}`)
  expect(await inputs('2')).toEqual([])
  expect(await inputs('[2]')).toMatchObject([{ code: 212 }])
})

const OPERATION = `${V5}
inputs: {i: {}}
data_types: {dt: {properties: {a: {}}}}
plugins: {p: {executor: central_deployment_agent, install: false}}
node_types:
  t:
    interfaces:
      i:
        o:
          implementation: p.f
          timeout: 5
          max_retries: 3
          retry_interval: 2
          inputs: {n: {type: integer, default: {get_input: i}}, d: {type: dt, default: {a: 1}}}
        kept: {implementation: p.f, max_retries: 3}
node_templates:
  n: {type: t, interfaces: {i: {o: {inputs: {d: {get_attribute: [SELF, x]}}}}}}
`

test('a template says itself how often its operation is tried, and inherits the rest', async () => {
  const { operations } = (await planOf(OPERATION)).nodes[0] ?? {}
  expect(operations?.o).toMatchObject({ max_retries: null, retry_interval: null, timeout: 5 })
  expect(operations?.kept).toMatchObject({ max_retries: 3 })
})

test('a function that stands for a typed input carries the type, and is checked by it at creation', async () => {
  const plan = await planOf(OPERATION)
  expect(plan.nodes[0]?.operations.o?.inputs).toEqual({
    n: { get_input: 'i', type: 'integer' },
    d: { get_attribute: ['SELF', 'x'], type: 'dt' },
  })
  const created = (i: string | number) =>
    createDeploymentPlan({ plan, inputs: { i }, randomId: () => '000000' })
  expect(created('text')).toMatchObject({ ok: false, error: { errorClass: 'InputEvaluationError' } })
  expect(created(3)).toMatchObject({ ok: true })
})

test('missing secrets are named as the reference names them', async () => {
  const plan = await planOf(`${V5}outputs: {a: {value: {get_secret: s}}, b: {value: [{get_secret: [t, k]}]}}`)
  const outcome = createDeploymentPlan({
    plan,
    inputs: {},
    randomId: () => '000000',
    secretExists: () => false,
  })
  expect(outcome).toMatchObject({
    error: { message: "Required secrets: [s, t] don't exist in this tenant" },
  })
})

test('a get_capability is known by where it stands, within another one too', async () => {
  const plan = await planOf(
    `${V5}outputs: {o: {value: {concat: [a, {get_capability: [{get_capability: [x, y]}, z]}]}}}`,
  )
  const outcome = createDeploymentPlan({ plan, inputs: {}, randomId: () => '000000' })
  if (!outcome.ok) throw outcome.error
  expect(outcome.deploymentPlan.inter_deployment_functions.map((one) => one.function_identifier)).toEqual([
    'outputs.o.value.concat[1].get_capability',
    'outputs.o.value.concat[1].get_capability[0].get_capability',
  ])
})

test('policy types and triggers keep their descriptions', async () => {
  const plan = await planOf(`${V5}
policy_types: {t: {description: d, source: s, properties: {p: {description: pd}}}}
policy_triggers: {g: {description: e, source: s, parameters: {p: {description: pd}}}}`)
  expect(plan.policy_types).toEqual({
    t: { description: 'd', source: 's', properties: { p: { description: 'pd' } } },
  })
  expect(plan.policy_triggers).toEqual({
    g: { description: 'e', source: 's', parameters: { p: { description: 'pd' } } },
  })
})

test('an empty list of what a workflow needs asks for nothing', () => {
  const nothing = { instanceStates: [], nodeTypes: [] }
  expect(whyUnavailable({ node_types_required: [] }, nothing)).toBeUndefined()
  expect(whyUnavailable({ node_instances_active: [] }, nothing)).toBeUndefined()
  expect(whyUnavailable({ node_types_required: ['t'] }, nothing)).toContain('t')
})
