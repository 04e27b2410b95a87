import { expect, test } from 'vitest'
import { planOf } from '../../test/parse.ts'
import {
  convertAndCheckParameters,
  createDeploymentPlan,
  type DeploymentPlanOutcome,
  type DeploymentPlanRequest,
  type EvaluationStorage,
  evaluatedConstraints,
  hasFunctionsInConstraints,
  type InputSchema,
  type Json,
  newBudget,
  type ObjectQuery,
  withObjects,
} from '../index.ts'
import { newStepBudget } from '../regex/match.ts'
import { checkConstraints } from './constraints.ts'

function violates(value: Json, ...constraints: readonly { readonly [operator: string]: Json }[]): boolean {
  const request = { name: 'x', value, schema: { constraints }, deploymentId: null, budget: newStepBudget() }
  return checkConstraints(request) !== null
}

test.each<readonly [Json, { readonly [operator: string]: Json }, boolean]>([
  [3, { equal: 3 }, true],
  [3, { greater_than: 3 }, false],
  [3, { greater_or_equal: 3 }, true],
  ['3', { less_than: 4 }, false],
  [2.5, { in_range: [2, 3] }, true],
  [4, { in_range: [2, 3] }, false],
  ['a', { valid_values: ['a', 'b'] }, true],
  [{ a: 1 }, { valid_values: [{ a: 1 }] }, true],
  ['abc', { length: 3 }, true],
  [[1, 2], { max_length: 1 }, false],
  [{ a: 1 }, { min_length: 1 }, true],
  [5, { min_length: 1 }, false],
  ['hello', { pattern: 'hel' }, true],
  ['ahello', { pattern: 'hel' }, false],
  [5, { pattern: '5' }, false],
])('%j against %j holds: %j', (value, constraint, holds) => {
  expect(violates(value, constraint)).toBe(!holds)
})

test('the message of a constraint is the author’s, if there is one', () => {
  const error = checkConstraints({
    name: 'x',
    value: 'abc',
    schema: { constraints: [{ max_length: 2, error_message: 'too long' }] },
    deploymentId: null,
    budget: newStepBudget(),
  })
  expect(error?.message).toBe('too long')
})

test('a pattern that takes too long is a violation that says so', async () => {
  const outcome = await deploy(`{a: {constraints: [{pattern: '(a*)*\\1$'}]}}`, { a: `${'a'.repeat(40)}b` })
  expect(outcome.ok ? '' : outcome.error.message).toContain('takes too long to check')
})

async function deploy(
  inputs: string,
  given: { readonly [name: string]: Json },
  more: Partial<DeploymentPlanRequest> = {},
): Promise<DeploymentPlanOutcome> {
  const plan = await planOf(`tosca_definitions_version: cloudify_dsl_1_5
data_types:
  point: {properties: {x: {type: integer, default: 1}, y: {type: integer, default: 2}}}
  line: {properties: {from: {type: point}, to: {type: point}, name: {type: string}}}
inputs: ${inputs}`)
  return createDeploymentPlan({ plan, inputs: given, randomId: () => 'abcdef', ...more })
}

test.each<readonly [string, { readonly [name: string]: Json }, { readonly [name: string]: Json }]>([
  ['{a: {default: 1}, b: {required: false}}', {}, { a: 1, b: null }],
  ['{a: {type: point}}', {}, { a: { x: 1, y: 2 } }],
  [
    '{a: {type: line}}',
    { a: { name: 'n', to: { y: 5 } } },
    { a: { from: { x: 1, y: 2 }, to: { x: 1, y: 5 }, name: 'n' } },
  ],
  ['{a: {type: integer}}', { a: { get_secret: 's' } }, { a: { get_secret: 's' } }],
])('inputs %s given %j become %j', async (inputs, given, expected) => {
  const outcome = await deploy(inputs, given)
  expect(outcome.ok && outcome.deploymentPlan.inputs).toEqual(expected)
})

test.each<readonly [string, { readonly [name: string]: Json }, string]>([
  ['{a: {}, b: {}}', {}, 'MissingRequiredInputError null'],
  ['{a: {type: line}}', {}, 'MissingRequiredInputError null'],
  ['{}', { x: 1 }, 'UnknownInputError null'],
  ['{a: {type: integer}}', { a: 'x' }, 'DSLParsingException 214'],
  ['{a: {type: point}}', { a: { z: 1 } }, 'DSLParsingException 214'],
  ['{a: {type: line}}', { a: {} }, 'DSLParsingException 214'],
  ['{a: {type: list, item_type: integer}}', { a: [1, 'x'] }, 'DSLParsingException 214'],
  ['{a: {constraints: [{max_length: 1}]}}', { a: 'xy' }, 'ConstraintException null'],
  ['{a: {constraints: [{max_length: 1}]}}', { a: { get_secret: 's' } }, 'DSLParsingException 213'],
  ['{a: {type: node_instance}}', { a: 'x' }, 'ConstraintException null'],
])('inputs %s given %j fail with %s', async (inputs, given, expected) => {
  const outcome = await deploy(inputs, given)
  expect(outcome.ok ? 'ok' : `${outcome.error.errorClass} ${outcome.error.code}`).toBe(expected)
})

test('text is turned into the declared type on request only', async () => {
  const inputs = '{a: {type: integer}, b: {type: float}, c: {type: boolean}, d: {type: string}}'
  const given = { a: '12', b: '1.5', c: 'true', d: '5' }
  const corrected = await deploy(inputs, given, { autoCorrectTypes: true })
  expect(corrected.ok && corrected.deploymentPlan.inputs).toEqual({ a: 12, b: 1.5, c: true, d: '5' })
  expect((await deploy(inputs, given)).ok).toBe(false)
})

test('a value that names an object is looked up, with all its constraints in one query', async () => {
  const plan = await planOf(`tosca_definitions_version: cloudify_dsl_1_5
inputs:
  d: {type: deployment_id, constraints: [{labels: [{k: v}]}, {name_pattern: {starts_with: a}}]}
  n: {type: node_id}`)
  const asked: ObjectQuery[] = []
  const outcome = await withObjects(
    async (queries) => {
      asked.push(...queries)
      return queries.map(({ value }) => value !== 'gone')
    },
    (objects) =>
      createDeploymentPlan({ plan, inputs: { d: 'x', n: 'gone' }, randomId: () => 'abcdef', objects }),
  )
  expect(asked).toEqual([
    {
      type: 'deployment_id',
      value: 'x',
      deploymentId: null,
      constraints: { labels: [{ k: 'v' }], name_pattern: { starts_with: 'a' } },
    },
    { type: 'node_id', value: 'gone', deploymentId: null, constraints: {} },
  ])
  expect(outcome.ok ? null : outcome.error.errorClass).toBe('ConstraintException')
})

test('parameters of an execution are completed, converted and checked, all problems at once', () => {
  const schema: { readonly [name: string]: InputSchema } = {
    count: { type: 'integer', default: 1 },
    flag: { type: 'boolean' },
    names: { type: 'list', item_type: 'integer', default: [] },
    note: { type: 'string', required: false },
    any: { default: null },
  }
  const request = { workflow: 'w', schema, allowCustomParameters: false, deploymentId: 'd' }
  expect(convertAndCheckParameters({ ...request, given: { flag: 'true', names: ['1', 2] } })).toEqual({
    ok: true,
    parameters: { count: 1, flag: true, names: [1, 2], any: null },
  })
  const bad = convertAndCheckParameters({ ...request, given: { count: 'x', note: 5, other: 1 } })
  expect(bad.ok ? [] : bad.problems).toEqual([
    'Parameter "count" must be of type integer',
    'Parameter "note" must be of type string',
    'Workflow "w" must be provided with the following parameters to execute: flag',
    expect.stringContaining('does not have the following parameters declared: other'),
  ])
})

test('a data type’s defaults, its child’s and the template’s are merged member by member', async () => {
  const plan = await planOf(`tosca_definitions_version: cloudify_dsl_1_5
data_types:
  inner: {properties: {a: {default: 1}, b: {default: 2}, c: {default: 3}}}
  outer: {properties: {inner: {type: inner, default: {b: 20}}}}
node_types:
  parent: {properties: {p: {type: outer, default: {inner: {c: 30}}}}}
  child: {derived_from: parent, properties: {p: {type: outer, default: {inner: {a: 10}}}}}
node_templates:
  n: {type: child, properties: {p: {inner: {b: 200}}}}`)
  expect(plan.nodes[0]?.properties).toEqual({ p: { inner: { a: 10, b: 200, c: 30 } } })
})

test('a truthy use_external_resource waives what is missing beside it', async () => {
  const plan = await planOf(`tosca_definitions_version: cloudify_dsl_1_5
node_types: {t: {properties: {use_external_resource: {default: false}, needed: {}}}}
node_templates: {n: {type: t, properties: {use_external_resource: true}}}`)
  expect(plan.nodes[0]?.properties).toEqual({ use_external_resource: true })
})

test('functions in constraints become values, other inputs stay as they are', async () => {
  const { inputs } = await planOf(`tosca_definitions_version: cloudify_dsl_1_5
inputs:
  a: {constraints: [{valid_values: {get_input: b}}, {in_range: {get_input: c}, error_message: oh}]}
  b: {constraints: [{length: 2}]}`)
  const values: { readonly [name: string]: Json } = { b: ['x'], c: [1, 5] }
  const storage = { input: async (name: string) => values[name] } as unknown as EvaluationStorage
  expect(hasFunctionsInConstraints(inputs)).toBe(true)
  const evaluated = await evaluatedConstraints(inputs, storage, newBudget())
  expect(evaluated.a?.constraints).toEqual([
    { valid_values: ['x'] },
    { in_range: [1, 5], error_message: 'oh' },
  ])
  expect(evaluated.b).toBe(inputs.b)
})

test('a message about a constraint never holds what a secret gave', async () => {
  const plan = await planOf(`tosca_definitions_version: cloudify_dsl_1_5
inputs:
  equal: {constraints: [{equal: {get_secret: s}}]}
  nested: {constraints: [{valid_values: [a, {concat: [b, {get_input: i}]}]}]}
  other: {constraints: [{valid_values: {get_capability: [other, c]}}]}
  pattern: {constraints: [{pattern: {get_secret: costly}}]}
  own: {constraints: [{length: {get_secret: [json, n]}, error_message: too short}]}
  told: {constraints: [{equal: {get_secret: s}, error_message: {concat: [not , {get_secret: s}]}}]}
  plain: {constraints: [{valid_values: {get_input: shown}}]}`)
  const inputs: { readonly [name: string]: Json } = { i: { get_secret: 's' }, shown: ['x'] }
  const secrets: { readonly [key: string]: string } = {
    s: 'hush',
    json: '{"n": 4711}',
    costly: '(a*)*\\1(hush)?$',
  }
  const storage = {
    input: async (name: string) => inputs[name],
    secret: async (key: string) => secrets[key],
    capability: async () => ({ found: 'value', value: [{ get_secret: 's' }], storage }),
  } as unknown as EvaluationStorage
  const schema = await evaluatedConstraints(plan.inputs, storage, newBudget())
  // Long enough for the pattern to take too long.
  const given = Object.fromEntries(Object.keys(schema).map((name) => [name, `${'a'.repeat(40)}b`]))
  const outcome = convertAndCheckParameters({
    workflow: 'w',
    schema,
    given,
    allowCustomParameters: false,
    deploymentId: 'd',
  })
  const problems = outcome.ok ? [] : outcome.problems
  expect(problems).toHaveLength(7)
  expect(problems.join('\n')).not.toMatch(/hush|4711/)
  expect(problems.join('\n')).toContain('The constraint pattern of pattern takes too long to check')
  expect(problems).toContain(
    "Parameter \"equal\" does not meet its constraints: The value of equal violates constraint equal({'get_secret': 's'}).",
  )
  expect(problems.join('\n')).toMatch(/"own" does not meet its constraints: too short/)
  expect(problems.join('\n')).toMatch(/of plain violates constraint valid_values\(\['x'\]\)/)
  const good = { equal: 'hush', nested: 'bhush', other: 'hush', told: 'hush', plain: 'x' }
  const { pattern: _, own: __, ...checked } = schema
  const request = { workflow: 'w', schema: checked, allowCustomParameters: false, deploymentId: 'd' }
  expect(convertAndCheckParameters({ ...request, given: good })).toEqual({ ok: true, parameters: good })
})
