import { expect, test } from 'vitest'
import { planOf } from '../../test/parse.ts'
import {
  BudgetExceeded,
  createDeploymentPlan,
  type EvaluationStorage,
  evaluateFunctions,
  evaluateOutputs,
  type Json,
  newBudget,
} from '../index.ts'
import { placesOf } from './find-text.ts'

/** Many kilobytes that ask for as much work as the functions of the language can be made to do. */
const doubled = (times: number, inner: Json, of: (inner: Json) => Json): Json =>
  Array.from({ length: times }).reduce<Json>((value) => of(value), inner)

const long = 'a'.repeat(2 ** 20)
const chain = (length: number, of: (next: Json) => Json): { [name: string]: Json } =>
  Object.fromEntries(
    Array.from({ length }, (_, n) => [`i${n}`, n === length - 1 ? 'x' : of({ get_input: `i${n + 1}` })]),
  )

type Attack = {
  readonly name: string
  readonly payload: Json
  readonly inputs?: { readonly [name: string]: Json }
}

const attack = (name: string, payload: Json, inputs: { readonly [name: string]: Json } = {}): Attack => ({
  name,
  payload,
  inputs,
})

const attacks: readonly Attack[] = [
  attack('string_replace', { string_replace: [long, 'a', 'b'.repeat(1000)] }),
  attack('string_replace', { string_replace: [long, '', 'b'.repeat(1000)] }),
  attack(
    'string_replace',
    doubled(6, 'a'.repeat(100), (value) => ({ string_replace: [value, 'a', 'a'.repeat(100)] })),
  ),
  attack('string_split', { string_split: ['a'.repeat(2 ** 22), 'a'] }),
  attack('concat', { concat: Array.from({ length: 12 }, () => 'a'.repeat(2 ** 20)) }),
  attack(
    'concat|get_input',
    { get_input: 'i0' },
    chain(22, (next) => ({ concat: [next, next] })),
  ),
  attack(
    'get_input',
    { get_input: 'i0' },
    chain(40, (next) => [next, next]),
  ),
  attack(
    'merge|get_input',
    { get_input: 'i0' },
    { ...chain(22, (next) => ({ merge: [{ a: next, b: next }] })) },
  ),
  attack(
    'get_input',
    Array.from({ length: 200 }, () => ({ get_input: 'long' })),
    { long },
  ),
  attack(
    'string_lower',
    Array.from({ length: 40 }, () => ({ string_lower: 'a'.repeat(2 ** 18) })),
  ),
  attack('get_attributes_dict', {
    get_attributes_dict: ['n', ...Array.from({ length: 2000 }, (_, n) => `a${n}`)],
  }),
  attack(
    'get_attributes_list',
    Array.from({ length: 100 }, () => ({ get_attributes_list: ['n', 'a'] })),
  ),
  attack(
    'get_attribute',
    Array.from({ length: 100 }, () => ({ get_attribute: ['n', 'a'] })),
  ),
  attack('get_group_capability', {
    get_group_capability: ['g', Array.from({ length: 5000 }, (_, n) => `c${n}`)],
  }),
  attack('get_capability', { get_capability: ['d', 'twice'] }),
  attack(
    'get_secret',
    Array.from({ length: 200 }, () => ({ get_secret: ['json', 'a'] })),
  ),
]

function deployment(inputs: { readonly [name: string]: Json }): EvaluationStorage {
  const instances = Array.from({ length: 20_000 }, (_, index) => ({
    id: `n_${index}`,
    node_id: 'n',
    index,
    runtime_properties: {},
    relationships: [],
    scaling_groups: [],
  }))
  const node = { id: 'n', properties: {}, relationships: [] }
  const byId = new Map(instances.map((instance) => [instance.id, instance]))
  const storage: EvaluationStorage = {
    deploymentId: 'd',
    pause: async () => {},
    node: async () => node,
    nodeInstance: async (id) => byId.get(id) ?? null,
    nodeInstancesOf: async () => instances,
    input: async (name) => inputs[name],
    secret: async () => JSON.stringify({ a: 1, long }),
    capability: async (_id, name) =>
      name === 'twice'
        ? {
            found: 'value',
            value: doubled(1, null, () => [
              { get_capability: ['d', 'twice'] },
              { get_capability: ['d', 'twice'] },
            ]),
            storage,
          }
        : { found: 'no capability' },
    parentDeploymentId: async () => 'd',
    groupDeploymentIds: async () => Array.from({ length: 1000 }, (_, n) => `d${n}`),
    labelValues: async () => [],
    system: async () => 'x',
    consumers: async () => [],
  }
  return storage
}

const context = { self: 'n_1' }

test.each(attacks)('$name stops at the bound and is named', async ({ name, payload, inputs = {} }) => {
  const failure = await evaluateFunctions(payload, context, deployment(inputs), newBudget()).catch(
    (error) => error,
  )
  if (name === 'get_attribute') expect(failure.message).toContain(name)
  else if (name === 'get_capability') expect(failure.errorClass).toBe('EvaluationRecursionLimitReached')
  else {
    expect(failure).toBeInstanceOf(BudgetExceeded)
    expect(failure.message).toMatch(new RegExp(`(${name}) .*(16 MiB|1000000 steps)`))
  }
})

test('all outputs share one budget', async () => {
  const outputs = Object.fromEntries(
    Array.from({ length: 50 }, (_, n) => [`o${n}`, { value: { concat: [{ get_input: 'long' }] } }]),
  )
  await expect(evaluateOutputs(outputs, deployment({ long }), newBudget())).rejects.toThrow('16 MiB')
})

test('values nested as deep as a function may make them end before the stack does', async () => {
  const deep = (inner: Json) => doubled(90, inner, (value) => [value])
  const inputs = Object.fromEntries(
    Array.from({ length: 45 }, (_, n) => [`i${n}`, deep(n === 44 ? 'x' : { get_input: `i${n + 1}` })]),
  )
  const failure = evaluateFunctions({ get_input: 'i0' }, {}, deployment(inputs), newBudget())
  await expect(failure).rejects.toThrow('nested more than 500 deep')
  await expect(
    evaluateFunctions(
      doubled(5000, { get_input: 'i44' }, (value) => [value]),
      {},
      deployment(inputs),
      newBudget(),
    ),
  ).rejects.toThrow('nested more than 500 deep')
})

test('a value that is used often is walked once, and what it weighs is paid each time', async () => {
  const wide = { list: Array.from({ length: 5000 }, (_, n) => n) }
  const payload = Array.from({ length: 100 }, () => ({ get_input: 'wide' }))
  const budget = newBudget()
  await evaluateFunctions(payload, {}, deployment({ wide }), budget)
  expect(budget.limits.steps - budget.steps).toBeLessThan(20_000)
  expect(budget.limits.bytes - budget.bytes).toBeGreaterThan(100 * 5000 * 8)
})

test('others get their turn while much is evaluated', async () => {
  let turns = 0
  const storage = {
    ...deployment({ a: 1 }),
    pause: async () => {
      turns += 1
    },
  }
  await evaluateFunctions(
    Array.from({ length: 10_000 }, () => ({ get_input: 'a' })),
    {},
    storage,
    newBudget(),
  )
  expect(turns).toBeGreaterThan(10)
})

const V5 = 'tosca_definitions_version: cloudify_dsl_1_5\n'

test.each([
  [
    'string_replace',
    `outputs: {o: {value: ${'{string_replace: ['.repeat(14)}aaaa${", a, 'aaaaaaaaaaaaaaaaaaaa']}".repeat(14)}}}`,
  ],
  [
    'string_replace',
    `inputs: {a: {}, b: {}}\noutputs: {o: {value: {string_replace: [{get_input: a}, a, {get_input: b}]}}}`,
  ],
  [
    'get_property',
    `node_types: {t: {properties: {${Array.from({ length: 45 }, (_, n) => `p${n}: {default: [{get_property: [SELF, p${n + 1}]}, {get_property: [SELF, p${n + 1}]}]}`).join(', ')}, p45: {default: x}}}}\nnode_templates: {n: {type: t}}`,
  ],
  [
    'get_input',
    `inputs: {a: {}, b: {}}\noutputs: {${Array.from({ length: 200 }, (_, n) => `o${n}: {value: {concat: [{get_input: a}]}}`).join(', ')}}`,
  ],
])('%s stops a creation at the bound', async (name, text) => {
  const outcome = createDeploymentPlan({
    plan: await planOf(`${V5}${text}`),
    inputs: text.includes('inputs:') ? { a: long, b: 'b'.repeat(500) } : {},
    randomId: () => '000000',
  })
  if (outcome.ok) throw new Error('was created')
  expect(outcome.error).toBeInstanceOf(BudgetExceeded)
  expect(outcome.error.message).toContain(`Unable to evaluate ${name} function`)
  expect(outcome.error.message).toContain('64 MiB')
})

test('long texts are searched in linear time, with the same places as the engine finds', () => {
  const text = `${'ab'.repeat(300)}c${'ab'.repeat(500)}`
  for (const part of ['ab'.repeat(40), `${'ab'.repeat(20)}c`, `b${'ab'.repeat(100)}c${'ab'.repeat(100)}`]) {
    const places: number[] = []
    for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) places.push(at)
    expect(placesOf(part, text, 1000)).toEqual(places)
  }
  const near = `${'a'.repeat(50_000)}b${'a'.repeat(50_000)}`
  // The engine takes minutes for it.
  expect(placesOf(near, 'a'.repeat(4_000_000), 1)).toEqual([])
})
