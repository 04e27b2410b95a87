import { expect, test } from 'vitest'
import {
  DslError,
  type EvaluationContext,
  type EvaluationStorage,
  evaluateCapabilities,
  evaluateFunctions,
  evaluateOutputs,
  type Json,
  newBudget,
} from '../index.ts'
import type { StoredNode, StoredNodeInstance } from './storage.ts'

const CONTAINED = {
  type_hierarchy: ['cloudify.relationships.depends_on', 'cloudify.relationships.contained_in'],
}

function instance(
  id: string,
  runtime: { readonly [name: string]: Json } = {},
  more: Partial<StoredNodeInstance> = {},
): StoredNodeInstance {
  const [node = '', index = '1'] = id.split('_')
  return {
    id,
    node_id: node,
    index: Number(index),
    runtime_properties: runtime,
    relationships: [],
    scaling_groups: [],
    ...more,
  }
}

/** A deployment in memory. */
function deployment(parts: {
  readonly nodes?: readonly StoredNode[]
  readonly instances?: readonly StoredNodeInstance[]
  readonly secrets?: { readonly [key: string]: string }
  readonly inputs?: { readonly [name: string]: Json }
  readonly capabilities?: { readonly [deployment: string]: { readonly [name: string]: Json } }
  readonly labels?: { readonly [key: string]: readonly string[] }
}): EvaluationStorage {
  const instances = parts.instances ?? []
  const storage: EvaluationStorage = {
    deploymentId: 'this',
    pause: async () => {},
    node: async (id) => parts.nodes?.find((node) => node.id === id) ?? null,
    nodeInstance: async (id) => instances.find((each) => each.id === id) ?? null,
    nodeInstancesOf: async (id) => instances.filter(({ node_id }) => node_id === id),
    input: async (name) => parts.inputs?.[name],
    secret: async (key) => parts.secrets?.[key],
    capability: async (id, name) => {
      const declared = parts.capabilities?.[id]
      if (declared === undefined) return { found: 'no deployment' }
      const value = declared[name]
      return value === undefined ? { found: 'no capability' } : { found: 'value', value, storage }
    },
    parentDeploymentId: async () => 'parent',
    groupDeploymentIds: async () => Object.keys(parts.capabilities ?? {}).sort(),
    labelValues: async (key) => parts.labels?.[key] ?? [],
    system: async (fact) => `the ${fact}`,
    consumers: async () => [{ id: 'c1', displayName: 'C one' }],
  }
  return storage
}

const node = (id: string, properties: { readonly [name: string]: Json } = {}): StoredNode => ({
  id,
  properties,
  relationships: [],
})

async function failure(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
  } catch (error) {
    if (error instanceof DslError) return error.errorClass
    throw error
  }
  return 'none'
}

const storage = deployment({
  nodes: [
    {
      ...node('app', { port: 80, own: { get_property: ['SELF', 'port'] } }),
      relationships: [{ target_id: 'vm', ...CONTAINED }],
    },
    node('vm', { ip: 'declared', size: 2 }),
  ],
  instances: [
    instance(
      'app_1',
      {
        url: { concat: ['http://', { get_attribute: ['SELF', 'host'] }] },
        host: 'h1',
        list: [1, { get_secret: 's' }],
      },
      {
        relationships: [{ type: 'contained_in', target_name: 'vm', target_id: 'vm_1' }],
      },
    ),
    instance('vm_1', { ip: '10.0.0.1' }),
    instance('vm_2', { ip: '10.0.0.2' }),
  ],
  secrets: { s: 'hush', json: '{"a": [1, {"get_secret": "s"}]}' },
  inputs: { i: { get_secret: 's' } },
  capabilities: { other: { c: { x: { get_secret: 's' } } }, parent: { c: 5 }, empty: {} },
  labels: { k: ['v1', 'v2'] },
})

const VALUES: readonly (readonly [value: Json, expected: Json, context?: EvaluationContext])[] = [
  [{ get_attribute: ['app', 'url'] }, 'http://h1'],
  [{ get_attribute: ['app', 'list', 1] }, 'hush'],
  [{ get_attribute: ['app', 'list', 7] }, null],
  [{ get_attribute: ['app', 'nothing'] }, null],
  [{ get_attribute: ['app', 'port'] }, 80],
  [{ get_attribute: ['app', 'node_instance_id'] }, 'app_1'],
  [{ get_attribute: ['app', 'node_instance_index'] }, 1],
  [{ get_attribute: ['SELF', 'ip'] }, '10.0.0.2', { self: 'vm_2' }],
  [{ get_attribute: ['TARGET', 'ip'] }, '10.0.0.1', { source: 'app_1', target: 'vm_1' }],
  [{ get_attribute: ['vm', 'ip'] }, '10.0.0.1', { self: 'app_1' }],
  [{ get_attributes_list: ['vm', 'ip'] }, ['10.0.0.1', '10.0.0.2']],
  [{ get_attributes_list: ['SELF', 'ip'] }, ['10.0.0.1', '10.0.0.2'], { self: 'vm_1' }],
  [
    { get_attributes_dict: ['vm', 'ip', ['size']] },
    { vm_1: { ip: '10.0.0.1', size: 2 }, vm_2: { ip: '10.0.0.2', size: 2 } },
  ],
  [{ get_property: ['SELF', 'own'] }, 80, { self: 'app_1' }],
  [{ get_property: ['app', 'own'] }, 80],
  [{ get_secret: 's' }, 'hush'],
  [{ get_secret: ['json', 'a', 0] }, 1],
  [{ get_input: 'i' }, 'hush'],
  [{ get_capability: ['other', 'c', 'x'] }, 'hush'],
  [{ get_environment_capability: 'c' }, 5],
  [{ get_group_capability: ['g', 'c'] }, [{ x: 'hush' }, 5]],
  [{ get_group_capability: ['g', 'deployment_id:c'] }, { other: { x: 'hush' }, parent: 5 }],
  [
    { get_group_capability: ['g', ['c', 'd']] },
    [
      [{ x: 'hush' }, null],
      [5, null],
    ],
  ],
  [{ get_label: 'k' }, ['v1', 'v2']],
  [{ get_label: ['k', '1'] }, 'v2'],
  [{ get_sys: ['deployment', 'id'] }, 'the deployment.id'],
  [{ get_consumers: 'count' }, 1],
  [{ string_upper: { get_secret: 's' } }, 'HUSH'],
  [{ plain: [1, { get_secret: 's' }] }, { plain: [1, 'hush'] }],
]

const rows = VALUES.map(([value, expected, context = {}]) => ({ value, expected, context }))

test.each(rows)('$value gives $expected', async ({ value, expected, context }) => {
  expect(await evaluateFunctions(value, context, storage, newBudget())).toEqual(expected)
})

test('what a secret holds is never taken for a function', async () => {
  expect(await evaluateFunctions({ get_secret: ['json', 'a', 1] }, {}, storage, newBudget())).toEqual({
    get_secret: 's',
  })
})

test('values that refer to each other in a circle end with an error', async () => {
  const circle = deployment({
    nodes: [node('n')],
    instances: [
      instance('n_1', {
        a: { get_attribute: ['n', 'b'] },
        b: [{ get_attribute: ['n', 'a'] }, { get_attribute: ['n', 'a'] }],
      }),
    ],
  })
  expect(await failure(evaluateFunctions({ get_attribute: ['n', 'a'] }, {}, circle, newBudget()))).toBe(
    'EvaluationRecursionLimitReached',
  )
})

test('in outputs an ambiguous attribute is a text; elsewhere it is an error', async () => {
  const declared = { a: { value: { concat: ['ip: ', { get_attribute: ['vm', 'ip'] }] } }, b: { value: 1 } }
  const outputs = await evaluateOutputs(declared, storage, newBudget())
  expect(outputs.a).toMatch(/^ip: <ERROR: .*vm.*>$/)
  expect(outputs.b).toBe(1)
  expect(await failure(evaluateCapabilities(declared, storage, newBudget()))).toBe('FunctionEvaluationError')
})

test('an output that is a missing secret is left out; one that only uses it fails', async () => {
  expect(
    await evaluateOutputs({ a: { value: { get_secret: 'gone' } }, b: { value: 1 } }, storage, newBudget()),
  ).toEqual({
    b: 1,
  })
  const inner = evaluateOutputs(
    { a: { value: { concat: ['x', { get_secret: 'gone' }] } } },
    storage,
    newBudget(),
  )
  expect(await failure(inner)).toBe('UnknownSecretError')
})

test('of several instances the one in the same scaling group copy is meant', async () => {
  const grouped = deployment({
    nodes: [node('a'), node('b')],
    instances: [1, 2].flatMap((index) => [
      instance(`a_${index}`, {}, { scaling_groups: [{ name: 'g', id: `g_${index}` }] }),
      instance(`b_${index}`, { x: index }, { scaling_groups: [{ name: 'g', id: `g_${index}` }] }),
    ]),
  })
  expect(await evaluateFunctions({ get_attribute: ['b', 'x'] }, { self: 'a_2' }, grouped, newBudget())).toBe(
    2,
  )
  expect(await failure(evaluateFunctions({ get_attribute: ['b', 'x'] }, {}, grouped, newBudget()))).toBe(
    'FunctionEvaluationError',
  )
})
