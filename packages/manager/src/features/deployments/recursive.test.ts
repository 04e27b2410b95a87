import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintText } from '../../../test/archives.ts'
import { callScript, type Gate, openGate } from '../../../test/gate.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

let system: TestSystem
let gate: Gate

const calls = (who: string) => ({
  implementation: 'call.py',
  executor: 'central_deployment_agent',
  inputs: { port: gate.port, who },
})

beforeAll(async () => {
  system = await startTestSystem()
  gate = await openGate()
  await system.upload('plain')
  await system.upload(
    'calls',
    blueprintArchive(
      blueprintText({
        node_templates: {
          one: {
            type: 'cloudify.nodes.Root',
            interfaces: { 'cloudify.interfaces.lifecycle': { delete: calls('delete') } },
          },
        },
      }),
      { 'call.py': callScript },
    ),
  )
  await system.upload(
    'points',
    blueprintArchive(
      blueprintText({
        inputs: { other: { default: '' } },
        node_templates: {
          one: {
            type: 'cloudify.nodes.Root',
            interfaces: {
              'cloudify.interfaces.lifecycle': {
                create: { implementation: 'set.py', executor: 'central_deployment_agent' },
              },
            },
          },
        },
        outputs: { far: { value: { get_capability: [{ get_attribute: ['one', 'other'] }, 'x'] } } },
      }),
      {
        'set.py':
          "from cloudify import ctx\nctx.instance.runtime_properties['other'] = ctx.deployment.id.replace('user', 'base')\n",
      },
    ),
  )
})
afterAll(async () => {
  await system.close()
  await gate.close()
})

async function deployed(id: string, blueprintId: string, ...parents: readonly string[]): Promise<string> {
  await system.deploy(id, blueprintId, { labels: parents.map((parent) => ({ 'csys-obj-parent': parent })) })
  return id
}
const installed = async (id: string) =>
  expect((await system.ended(await system.start(id, 'install'))).status).toBe('terminated')
const get = async (id: string) => (await system.inject('GET', `/deployments/${id}`)).body
const remove = (id: string, query = '') => system.inject('DELETE', `/deployments/${id}?${query}`)
const executions = async (id: string, workflow: string) =>
  (await system.inject('GET', `/executions?deployment_id=${id}&workflow_id=${workflow}&_sort=-created_at`))
    .body.items

test('uninstall goes through the children first, to the last level', async () => {
  const top = await deployed('top', 'plain')
  await deployed('mid', 'plain', top)
  await deployed('leaf', 'calls', 'mid')
  for (const id of ['top', 'mid', 'leaf']) await installed(id)
  expect(await get(top)).toMatchObject({ sub_services_count: 2, deployment_status: 'good' })

  const refused = await system.inject('POST', '/executions', {
    body: { deployment_id: top, workflow_id: 'uninstall' },
  })
  expect(refused).toMatchObject({
    status: 400,
    body: {
      error_code: 'dependent_exists_error',
      message: expect.stringContaining('[1] Deployment `mid` is contained in the current deployment'),
    },
  })
  const uninstall = await system.start(top, 'uninstall', { parameters: { recursive: true } })
  const call = await gate.next()
  const states = async (id: string) =>
    (await system.inject('GET', `/node-instances?deployment_id=${id}`)).body.items.map(
      (item: { state: string }) => item.state,
    )
  expect([await states('top'), await states('mid')]).toEqual([['started'], ['started']])
  call.answer('ok')
  expect(await system.ended(uninstall)).toMatchObject({ status: 'terminated' })
  for (const id of ['top', 'mid', 'leaf']) expect(await states(id)).toEqual(['deleted'])
  expect(await executions('leaf', 'uninstall')).toHaveLength(1)

  // With all that is in it, and nothing else.
  await deployed('beside', 'plain')
  expect((await remove(top)).body.error_code).toBe('dependent_exists_error')
  expect((await remove(top, 'recursive=true')).status).toBe(204)
  await system.deleted(top)
  for (const id of ['mid', 'leaf'])
    expect((await system.inject('GET', `/deployments/${id}`)).status).toBe(404)
  expect((await get('beside')).id).toBe('beside')
})

test('a child that fails fails the parent, and is tried again on resume', async () => {
  await deployed('env', 'plain')
  await deployed('bad', 'calls', 'env')
  await installed('env')
  await installed('bad')
  const uninstall = await system.start('env', 'uninstall', { parameters: { recursive: true } })
  ;(await gate.next()).answer('fail')
  expect(await system.ended(uninstall)).toMatchObject({
    status: 'failed',
    error: 'uninstall did not succeed on: bad',
  })
  expect((await get('env')).installation_status).toBe('active')
  expect(
    (await system.inject('POST', `/executions/${uninstall}`, { body: { action: 'resume' } })).status,
  ).toBe(200)
  ;(await gate.next()).answer('ok')
  expect(await system.ended(uninstall)).toMatchObject({ status: 'terminated' })
  expect(await executions('bad', 'uninstall')).toHaveLength(2)
})

test('live instances of a child keep it and its parent, unless it is forced', async () => {
  await deployed('house', 'plain')
  await deployed('room', 'plain', 'house')
  await installed('room')
  await remove('house', 'recursive=true')
  const [deletion] = await executions('house', 'delete_deployment_environment')
  expect(await system.ended(deletion.id)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining("Can't delete deployment room - There are live nodes"),
  })
  await remove('house', 'recursive=true&force=true')
  await system.deleted('house')
  expect((await system.inject('GET', '/deployments/room')).status).toBe(404)
})

test('a cancelled recursive uninstall cancels what it started', async () => {
  await deployed('outer', 'plain')
  await deployed('inner', 'calls', 'outer')
  await installed('outer')
  await installed('inner')
  const uninstall = await system.start('outer', 'uninstall', { parameters: { recursive: true } })
  const call = await gate.next()
  await system.inject('POST', `/executions/${uninstall}`, { body: { action: 'kill' } })
  expect(await system.ended(uninstall)).toMatchObject({ status: 'cancelled' })
  const [child] = await executions('inner', 'uninstall')
  expect(child.status).toBe('cancelled')
  call.answer('ok')
})

test('a creation in an environment that is not there fails, and says so', async () => {
  const answer = await system.inject('PUT', '/deployments/orphan', {
    body: { blueprint_id: 'plain', labels: [{ 'csys-obj-parent': 'nowhere' }] },
  })
  expect(answer).toMatchObject({
    status: 400,
    body: {
      error_code: 'deployment_creation_error',
      message: 'Environment referenced by `csys-obj-parent` not found: nowhere',
    },
  })
})

test('a dependency by function gets its target when the execution ends; a circle makes it fail', async () => {
  const dependencies = async (id: string) =>
    (
      await system.inject('GET', `/deployments/inter-deployment-dependencies?source_deployment_id=${id}`)
    ).body.items.map((item: { target_deployment_id: string | null }) => item.target_deployment_id)
  await deployed('base1', 'plain')
  await deployed('user1', 'points')
  expect(await dependencies('user1')).toEqual([null])
  await installed('user1')
  expect(await dependencies('user1')).toEqual(['base1'])
  expect((await get('base1')).labels).toMatchObject([{ key: 'csys-consumer-id', value: 'user1' }])
  expect((await remove('base1')).body.message).toContain('uses capabilities of the current deployment')

  await deployed('base2', 'plain')
  await deployed('user2', 'points')
  await system.inject('PUT', '/deployments/inter-deployment-dependencies', {
    body: { dependency_creator: 'x', source_deployment: 'base2', target_deployment: 'user2' },
  })
  expect(await system.ended(await system.start('user2', 'install'))).toMatchObject({
    status: 'failed',
    error: 'cyclic dependency between deployments user2 and base2',
  })
})
