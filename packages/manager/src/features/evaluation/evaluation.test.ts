import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDeployment, addUser } from '../../../test/fixtures.ts'
import { startTestManager, type TestManager } from '../../../test/test-manager.ts'

let manager: TestManager
beforeAll(async () => {
  manager = await startTestManager()
  await addDeployment(manager.db, 'net', {
    capabilities: { gateway: { value: { get_input: 'address' } }, port: { value: 80 } },
    inputs: { address: '10.0.0.1' },
  })
  await addDeployment(manager.db, 'app', {
    inputs: { size: 3 },
    nodes: [
      {
        id: 'vm',
        properties: { own: { get_attribute: ['SELF', 'ip'] }, plain: 1 },
        instances: [
          { id: 'vm_1', runtimeProperties: { ip: 'a', copy: { get_attribute: ['SELF', 'ip'] } } },
          { id: 'vm_2', runtimeProperties: { ip: 'b' } },
        ],
      },
      { id: 'single', instances: [{ id: 'single_1', runtimeProperties: { port: 80 } }] },
    ],
  })
})
afterAll(() => manager.close())

const evaluate = (payload: unknown, more: object = {}, request: object = {}) =>
  manager.inject('POST', '/evaluate/functions', {
    body: { deployment_id: 'app', payload, ...more },
    ...request,
  })

test('evaluates the functions of a payload in the scope of a deployment', async () => {
  await manager.inject('PUT', '/deployment-groups/nets', { body: { deployment_ids: ['net', 'app'] } })
  const payload = {
    text: { concat: ['port ', { get_attribute: ['single', 'port'] }] },
    gateway: { get_capability: ['net', 'gateway'] },
    ports: { get_group_capability: ['nets', 'port'] },
    plain: [1, { two: 2 }],
  }
  expect(await evaluate(payload)).toMatchObject({
    status: 200,
    body: {
      deployment_id: 'app',
      payload: { text: 'port 80', gateway: '10.0.0.1', ports: [80], plain: [1, { two: 2 }] },
    },
  })
})

test('the context says whose eyes to look with; what else clients send in it is of no matter', async () => {
  const payload = { ip: { get_attribute: ['SELF', 'ip'] } }
  const context = { self: 'vm_2', source: null, operation: { name: 'x' } }
  expect((await evaluate(payload, { context })).body.payload).toEqual({ ip: 'b' })
  const related = {
    context: { source: 'vm_1', source_node: 'vm', target: 'single_1', target_node: 'single' },
  }
  expect((await evaluate({ to: { get_attribute: ['TARGET', 'port'] } }, related)).body.payload).toEqual({
    to: 80,
  })
})

test('says what cannot be evaluated, and refuses who may not', async () => {
  expect(await evaluate({ x: { get_attribute: ['vm', 'ip'] } })).toMatchObject({
    status: 400,
    body: { error_code: 'functions_evaluation_error' },
  })
  expect(await evaluate({}, { deployment_id: 'none' })).toMatchObject({
    status: 404,
    body: { message: 'Requested `Deployment` with ID `none` was not found' },
  })
  expect((await evaluate([])).body.message).toBe(
    'payload parameter is expected to be of type dict but is of type list',
  )
  await addUser(manager.db, 'viewer', { tenants: { 0: 'viewer' } })
  expect((await evaluate({}, {}, { user: 'viewer' })).status).toBe(403)
})

test('what would cost too much is refused with the name of the function and its bound', async () => {
  const long = 'a'.repeat(2 ** 18)
  const doubling = Object.fromEntries(
    Array.from({ length: 22 }, (_, n) => [
      `i${n}`,
      {
        value:
          n === 21
            ? long
            : {
                concat: [
                  { get_capability: ['much', `i${n + 1}`] },
                  { get_capability: ['much', `i${n + 1}`] },
                ],
              },
      },
    ]),
  )
  const replaced = { string_replace: [long, 'a', 'b'.repeat(1000)] }
  await addDeployment(manager.db, 'much', {
    outputs: { big: { value: replaced } },
    capabilities: doubling,
    nodes: [
      {
        id: 'big',
        properties: { x: replaced },
        instances: [{ id: 'big_1', runtimeProperties: { x: replaced } }],
      },
    ],
  })
  const bound = (name: string) => ({
    status: 400,
    body: {
      message: `Unable to evaluate ${name} function: the functions of one evaluation make more than 16 MiB.`,
    },
  })
  expect(await evaluate({ x: replaced })).toMatchObject(bound('string_replace'))
  expect(await evaluate({ x: { get_capability: ['much', 'i0'] } })).toMatchObject({ status: 400 })
  expect(await manager.inject('GET', '/deployments/much/outputs')).toMatchObject(bound('string_replace'))
  expect(await manager.inject('GET', '/deployments/much/capabilities')).toMatchObject({ status: 400 })
  expect(await manager.inject('GET', '/node-instances/big_1?_evaluate_functions=true')).toMatchObject(
    bound('string_replace'),
  )
  for (const value of ['nope', { a: 1 }, [[]]]) {
    const { text } = await evaluate({ x: { string_split: [value, ''] } })
    expect(text).not.toMatch(/\n\s+at |file:\/\//)
  }
})

test('nodes and instances are read with their functions evaluated in their own scope when asked', async () => {
  const nodes = (query: string) => manager.inject('GET', `/nodes?deployment_id=app&id=vm&${query}`)
  const raw = { get_attribute: ['SELF', 'ip'] }
  expect((await nodes('')).body.items[0].properties).toEqual({ own: raw, plain: 1 })
  expect((await nodes('_evaluate_functions=True')).body.items[0].properties).toEqual({ own: 'a', plain: 1 })
  expect(
    (await nodes('_evaluate_functions=True&_instance_context=vm_2&_include=properties')).body.items,
  ).toEqual([{ properties: { own: 'b', plain: 1 } }])
  const instance = (query: string) => manager.inject('GET', `/node-instances/vm_1?${query}`)
  expect((await instance('')).body.runtime_properties).toEqual({ ip: 'a', copy: raw })
  expect((await instance('_evaluate_functions=true')).body.runtime_properties).toEqual({ ip: 'a', copy: 'a' })
  expect((await instance('_evaluate_functions=true&_include=id')).body).toEqual({ id: 'vm_1' })
  const unknown = await manager.inject('GET', '/nodes?deployment_id=none&_evaluate_functions=true')
  expect(unknown).toMatchObject({ status: 404, body: { error_code: 'not_found_error' } })
})
