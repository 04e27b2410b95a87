import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintText } from '../../../test/archives.ts'
import { addBlueprint, addUser } from '../../../test/fixtures.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

// Inputs and parameters that name something on the manager (docs/reference/language/constraints.md, "Objects").

let system: TestSystem

const node_templates = {
  host: {
    type: 'cloudify.nodes.Root',
    interfaces: { own: { tune: { implementation: 'tune.sh' } } },
  },
}
const group = {
  groups: { all: { members: ['host'] } },
  policies: { grow: { type: 'cloudify.policies.scaling', targets: ['all'] } },
}
const types = [
  'blueprint_id',
  'deployment_id',
  'capability_value',
  'scaling_group',
  'node_id',
  'node_type',
  'node_instance',
  'operation_name',
  'secret_key',
]
const within = [
  'scaling_group',
  'node_id',
  'node_type',
  'operation_name',
  'capability_value',
  'node_instance',
]

const upload = (id: string, content: Readonly<Record<string, unknown>>) =>
  system.upload(id, blueprintArchive(blueprintText(content), { 'tune.sh': '' }))

/** Why the creation failed; null when it did not. */
async function refusal(blueprint: string, inputs: Readonly<Record<string, unknown>>): Promise<string | null> {
  const id = `d${next++}`
  const { status, body } = await system.inject('PUT', `/deployments/${id}`, {
    body: { blueprint_id: blueprint, inputs },
  })
  return status === 201 ? null : body.message
}
let next = 0

beforeAll(async () => {
  system = await startTestSystem()
  await addUser(system.db, 'alice', { tenants: { 0: 'user' } })
  await addUser(system.db, 'bob', { tenants: { 0: 'user' } })
  const optional = Object.fromEntries(types.map((type) => [type, { type, required: false }]))
  const named = Object.fromEntries(
    within.map((type) => [
      type,
      {
        type,
        required: false,
        constraints: [{ deployment_id: 'target' }, { name_pattern: { contains: 'o' } }],
      },
    ]),
  )
  const { capability_value: _c, node_instance: _n, ...inBlueprint } = optional
  for (const [name, schema] of Object.entries(inBlueprint)) {
    await upload(`plain-${name}`, {
      node_templates,
      ...group,
      inputs: { value: { ...schema, required: true } },
    })
  }
  for (const [name, schema] of Object.entries(named)) {
    await upload(`within-${name}`, { node_templates, inputs: { value: { ...schema, required: true } } })
  }
  await upload('constrained', {
    inputs: {
      allowed: { type: 'list', default: ['a', 'b'] },
      value: {
        type: 'string',
        constraints: [{ valid_values: { get_input: 'allowed' } }, { max_length: { get_input: 'most' } }],
      },
      most: { type: 'integer', default: 3 },
    },
  })
  await upload('labelled', {
    inputs: {
      value: {
        type: 'deployment_id',
        constraints: [{ labels: [{ env: 'prod' }] }, { tenants: ['default_tenant'] }],
      },
    },
  })
  await upload('target', {
    node_templates,
    ...group,
    inputs: { port: { default: 80 } },
    capabilities: { port: { value: { get_input: 'port' } }, name: { value: 'web' } },
    workflows: {
      run: {
        mapping: 'default_workflows.cloudify.plugins.workflows.execute_operation',
        parameters: {
          node: { type: 'node_id' },
          tag: { constraints: [{ valid_values: { get_label: 'tag' } }] },
        },
      },
    },
  })
  await system.deploy('target', 'target', { labels: [{ env: 'prod' }, { tag: 'one' }] })
  await system.deploy('plain', 'target')
  await addBlueprint(system.db, 'private-one', { visibility: 'private', createdBy: 'bob' })
})
afterAll(() => system.close())

test.each([
  ['blueprint_id', 'target', 'gone'],
  ['deployment_id', 'target', 'gone'],
  ['scaling_group', 'all', 'none'],
  ['node_id', 'host', 'hos'],
  ['node_type', 'cloudify.nodes.Root', 'cloudify.nodes.Compute'],
  ['operation_name', 'own.tune', 'own.tone'],
  ['operation_name', 'tune', 'tone'],
])('at creation a value of type %s must be there: %s is, %s is not', async (type, there, gone) => {
  expect(await refusal(`plain-${type}`, { value: there })).toBeNull()
  expect(await refusal(`plain-${type}`, { value: gone })).toContain(`is not a valid ${type}`)
})

const unlike = "violates constraint name_pattern({'contains': 'o'})"

test.each<readonly [string, unknown, unknown, string?]>([
  // Only names with an `o` fit the pattern.
  ['capability_value', 80, 'web', unlike],
  ['node_id', 'host', 'cloudify.nodes.Root'],
  ['node_type', 'cloudify.nodes.Root', 'host'],
  ['operation_name', 'own.tune', 'tune', unlike],
])(
  'in the deployment that a constraint names, %s: %j fits, %j does not',
  async (type, there, gone, why = `is not a valid ${type}`) => {
    expect(await refusal(`within-${type}`, { value: there })).toBeNull()
    const refused = await refusal(`within-${type}`, { value: gone })
    expect(refused).toMatch(/^ConstraintException: /)
    expect(refused).toContain(why)
  },
)

test('a valid type of nodes stands for those derived from it', async () => {
  const derived = {
    node_types: {
      'own.Base': { derived_from: 'cloudify.nodes.Root' },
      'own.Derived': { derived_from: 'own.Base' },
    },
    node_templates: { one: { type: 'own.Derived' }, two: { type: 'cloudify.nodes.Root' } },
  }
  const valid = { valid_values: ['own.Base'] }
  const value = (...constraints: object[]) => ({ value: { type: 'node_type', constraints } })
  await upload('derived', { ...derived, inputs: value(valid) })
  expect(await refusal('derived', { value: 'own.Derived' })).toBeNull()
  expect(await refusal('derived', { value: 'cloudify.nodes.Root' })).toContain(
    'violates constraint valid_values(',
  )
  await system.deploy('derived-there', 'derived', { inputs: { value: 'own.Derived' } })
  await upload('derived-within', {
    inputs: value(valid, { deployment_id: 'derived-there' }, { name_pattern: { contains: 'D' } }),
  })
  expect(await refusal('derived-within', { value: 'own.Derived' })).toBeNull()
  expect(await refusal('derived-within', { value: 'cloudify.nodes.Root' })).toContain(
    'violates constraint valid_values(',
  )
})

test("somebody else's private blueprint is not there", async () => {
  const { body } = await system.inject('PUT', '/deployments/of-alice', {
    user: 'alice',
    body: { blueprint_id: 'plain-blueprint_id', inputs: { value: 'private-one' } },
  })
  expect(body.message).toContain('is not a valid blueprint_id')
})

test('a node instance is looked up in the named deployment', async () => {
  const [instance] = (await system.inject('GET', '/node-instances?deployment_id=target')).body.items
  expect(await refusal('within-node_instance', { value: instance.id })).toBeNull()
  expect(await refusal('within-node_instance', { value: 'host_nonono' })).toContain('is not a valid')
})

test('the labels and the owner of a deployment count', async () => {
  expect(await refusal('labelled', { value: 'target' })).toBeNull()
  expect(await refusal('labelled', { value: 'plain' })).toBe(
    "ConstraintException: Value plain of input value violates constraint labels([{'env': 'prod'}]).",
  )
  expect(await refusal('labelled', { value: 'unknown' })).toContain('is not a valid deployment_id')
})

test('a stored filter counts, and a secret must be there', async () => {
  const kinds = { deployment_id: 'deployments', blueprint_id: 'blueprints' } as const
  for (const [type, kind] of Object.entries(kinds)) {
    const rule = { key: 'id', values: ['target'], operator: 'any_of', type: 'attribute' }
    await system.inject('PUT', `/filters/${kind}/only-target`, { body: { filter_rules: [rule] } })
    for (const filterId of ['only-target', 'gone']) {
      const value = { type, constraints: [{ filter_id: filterId }] }
      await upload(`filtered-${type}-${filterId}`, { inputs: { value } })
    }
    expect(await refusal(`filtered-${type}-only-target`, { value: 'target' })).toBeNull()
    for (const [filterId, value] of [
      ['only-target', kind === 'deployments' ? 'plain' : 'plain-node_id'],
      ['gone', 'target'],
    ] as const) {
      expect(await refusal(`filtered-${type}-${filterId}`, { value })).toContain(
        `violates constraint filter_id(${filterId})`,
      )
    }
  }
  await system.inject('PUT', '/secrets/there', { body: { value: 'v' } })
  expect(await refusal('plain-secret_key', { value: 'there' })).toBeNull()
  expect(await refusal('plain-secret_key', { value: 'gone' })).toContain('is not a valid secret_key')
})

test('functions in constraints are evaluated before the check', async () => {
  expect(await refusal('constrained', { value: 'b' })).toBeNull()
  expect(await refusal('constrained', { value: 'c' })).toContain('violates constraint valid_values')
  expect(await refusal('constrained', { value: 'long', allowed: ['long'] })).toContain('max_length(3)')
  expect(await refusal('constrained', { value: 'long', allowed: ['long'], most: 4 })).toBeNull()
})

test('parameters of an execution are looked up in its deployment', async () => {
  const start = async (parameters: Readonly<Record<string, unknown>>) =>
    system.inject('POST', '/executions', {
      body: { deployment_id: 'target', workflow_id: 'run', parameters },
    })
  expect((await start({ node: 'gone', tag: 'one' })).body.message).toContain('is not a valid node_id')
  expect((await start({ node: 'host', tag: 'two' })).body.message).toContain('violates constraint')
  expect((await start({ node: 'host', tag: 'one' })).status).toBe(201)
})

test('a deployment with a large plan is planned beside the event loop, and comes out the same', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `n${index}`)
  await upload('large', {
    inputs: { text: {}, peer: { type: 'deployment_id' } },
    node_templates: Object.fromEntries(
      names.map((name) => [
        name,
        { type: 'cloudify.nodes.Compute', properties: { ip: { get_input: 'text' } } },
      ]),
    ),
  })
  expect(await refusal('large', { text: 'x', peer: 'gone' })).toContain('is not a valid deployment_id')
  await system.deploy('large', 'large', { inputs: { text: 'x', peer: 'target' } })
  const { items } = (await system.inject('GET', '/nodes?deployment_id=large&_size=100')).body
  expect(items.map((node: { properties: { ip: string } }) => node.properties.ip)).toEqual(
    names.map(() => 'x'),
  )
})
