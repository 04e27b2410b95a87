import { whatDisagrees } from '@tutti/domain/deployment-modifications'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintText } from '../test/archives.ts'
import { startTestSystem, type TestSystem } from '../test/test-system.ts'

/** The workflow scale over a manager with a worker: what is asked for by REST, and what is there afterwards. */
let system: TestSystem
const deployments: string[] = []

const script = (name: string) => ({
  implementation: `scripts/${name}.sh`,
  executor: 'central_deployment_agent',
})
const lifecycle = (operations: object) => ({ interfaces: { 'cloudify.interfaces.lifecycle': operations } })

beforeAll(async () => {
  system = await startTestSystem()
  const text = blueprintText({
    node_templates: {
      host: {
        type: 'cloudify.nodes.Compute',
        properties: { agent_config: { install_method: 'none' } },
      },
      web: {
        type: 'cloudify.nodes.Root',
        relationships: [{ type: 'cloudify.relationships.contained_in', target: 'host' }],
        ...lifecycle({ create: script('fails'), delete: script('fine') }),
      },
      balancer: {
        type: 'cloudify.nodes.Root',
        relationships: [
          {
            type: 'cloudify.relationships.connected_to',
            target: 'web',
            source_interfaces: {
              'cloudify.interfaces.relationship_lifecycle': {
                establish: script('link'),
                unlink: script('link'),
              },
            },
          },
        ],
      },
      left: { type: 'cloudify.nodes.Root' },
      right: {
        type: 'cloudify.nodes.Root',
        relationships: [{ type: 'cloudify.relationships.connected_to', target: 'left' }],
      },
    },
    groups: { pair: { members: ['left', 'right'] } },
    policies: { p: { type: 'cloudify.policies.scaling', targets: ['pair'] } },
  })
  const files = {
    'scripts/fails.sh': `#!/bin/bash
[ -z "$(ctx instance index | grep -x 3)" ] || { echo no third one >&2; exit 1; }
`,
    'scripts/fine.sh': '#!/bin/bash\ntrue\n',
    'scripts/link.sh': '#!/bin/bash\ntrue\n',
  }
  await system.upload('scaling', blueprintArchive(text, files))
  await system.inject('PUT', '/config/task_retries', { body: { value: 0 } })
})
afterAll(() => system.close())

/** Whatever was done: instances, relationships and numbers agree, and nothing is left half way. */
afterEach(async () => {
  for (const id of deployments.splice(0))
    expect([id, await whatDisagrees(system.db, 0, id)]).toEqual([id, []])
})

async function installed(id: string): Promise<void> {
  await system.deploy(id, 'scaling')
  deployments.push(id)
  expect(await system.ended(await system.start(id, 'install'))).toMatchObject({ status: 'terminated' })
}
const scale = async (id: string, parameters: object, more: object = {}) =>
  system.ended(await system.start(id, 'scale', { parameters, ...more }))
const instances = async (id: string, node: string) =>
  (await system.inject('GET', `/node-instances?deployment_id=${id}&node_id=${node}`)).body.items
const states = async (id: string, node: string) =>
  (await instances(id, node)).map(({ state }: { state: string }) => state)
const modifications = async (id: string) =>
  (
    await system.inject('GET', `/deployment-modifications?deployment_id=${id}&_sort=created_at`)
  ).body.items.map(({ status }: { status: string }) => status)
const events = async (execution: string) =>
  (await system.inject('GET', `/events?execution_id=${execution}&_size=1000&_sort=timestamp`)).body.items.map(
    ({ message }: { message: string }) => message,
  )

test('adds instances and installs them, then takes them away again', async () => {
  await installed('both')
  const out = await scale('both', { scalable_entity_name: 'host', delta: 1 })
  expect(out).toMatchObject({ status: 'terminated', error: '' })
  for (const node of ['host', 'web']) expect(await states('both', node)).toEqual(['started', 'started'])
  const [balancer] = await instances('both', 'balancer')
  expect(balancer.relationships).toHaveLength(2)
  expect(await modifications('both')).toEqual(['finished'])

  const [first] = await instances('both', 'host')
  const back = await scale('both', {
    scalable_entity_name: 'host',
    delta: '-1',
    include_instances: [first.id],
  })
  expect(back).toMatchObject({ status: 'terminated' })
  expect((await instances('both', 'host')).map(({ id }: { id: string }) => id)).not.toContain(first.id)
  expect(await states('both', 'web')).toEqual(['started'])
  expect(await modifications('both')).toEqual(['finished', 'finished'])
  expect(await system.inject('GET', '/deployments/both')).toMatchObject({
    body: { installation_status: 'active', deployment_status: 'good' },
  })
})

test('scales a group, and a host by what is in it', async () => {
  await installed('group')
  expect(await scale('group', { scalable_entity_name: 'pair' })).toMatchObject({ status: 'terminated' })
  expect(await states('group', 'left')).toEqual(['started', 'started'])
  const by = { scalable_entity_name: 'web', scale_compute: true }
  expect(await scale('group', by)).toMatchObject({ status: 'terminated' })
  expect(await states('group', 'host')).toEqual(['started', 'started'])
  expect(await scale('group', { scalable_entity_name: 'pair', delta: -1 })).toMatchObject({
    status: 'terminated',
  })
  expect(await states('group', 'right')).toEqual(['started'])
})

test('what fails is undone, and is what the execution ends with', async () => {
  await installed('undone')
  const failed = await scale('undone', { scalable_entity_name: 'host', delta: 2 })
  expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('no third one') })
  expect(await states('undone', 'host')).toEqual(['started'])
  expect(await modifications('undone')).toEqual(['rolledback'])
  expect(await events(failed.id)).toContain('Scale out failed, scaling back in.')
  const resumed = await system.inject('POST', `/executions/${failed.id}`, { body: { action: 'resume' } })
  expect(resumed.status).toBe(200)
  expect(await system.ended(failed.id)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('cannot be resumed'),
  })
})

test('what is kept is gone on with by a resume, or aborted by the next', async () => {
  await installed('kept')
  const kept = { scalable_entity_name: 'host', delta: 2, rollback_if_failed: false }
  const failed = await scale('kept', kept)
  expect(failed.status).toBe('failed')
  expect(await modifications('kept')).toEqual(['started'])
  const other = await scale('kept', { scalable_entity_name: 'pair' })
  expect(other).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('existing started deployment modifications'),
  })
  const aborting = await scale('kept', { scalable_entity_name: 'pair', abort_started: true })
  expect(aborting).toMatchObject({ status: 'terminated' })
  expect(await modifications('kept')).toEqual(['rolledback', 'finished'])
  expect(await states('kept', 'host')).toEqual(['started'])
})

test.each([
  [{ scalable_entity_name: 'nothing' }, 'No scaling group or node'],
  [{ scalable_entity_name: 'host', delta: -2 }, 'Provided delta: -2 is illegal'],
  [{ scalable_entity_name: 'host', delta: -1, include_instances: ['gone'] }, 'do not exist: gone'],
  [{ scalable_entity_name: 'host', delta: 1, include_instances: ['x'] }, 'when scaling up'],
  [
    { scalable_entity_name: 'host', delta: -1, exclude_instances: ['x'], scale_compute: true },
    'scale_compute',
  ],
])('%j ends in an error and changes nothing', async (parameters, error) => {
  if (deployments.length === 0) {
    const there = await system.inject('GET', '/deployments/wrong')
    if (there.status === 404) await installed('wrong')
    else deployments.push('wrong')
  }
  expect(await scale('wrong', parameters)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining(error),
  })
  expect(await modifications('wrong')).toEqual([])
})

test('a delta of 0 ends well and does nothing', async () => {
  await installed('zero')
  const { id, status } = await scale('zero', { scalable_entity_name: 'host', delta: 0 })
  expect(status).toBe('terminated')
  expect(await events(id)).toContain('delta parameter is 0, so no scaling will take place.')
  expect(await modifications('zero')).toEqual([])
})

test('a dry run tells what it would do, of instances that never are', async () => {
  await installed('dry')
  const before = await instances('dry', 'host')
  const { id, status } = await scale('dry', { scalable_entity_name: 'host' }, { dry_run: true })
  expect(status).toBe('terminated')
  expect(await events(id)).toContain('Node instance started (dry run)')
  expect(await instances('dry', 'host')).toEqual(before)
  expect(await modifications('dry')).toEqual([])
})

test('of two at once one runs; the other is refused, or told of the first', async () => {
  await installed('race')
  const body = { deployment_id: 'race', workflow_id: 'scale', parameters: { scalable_entity_name: 'host' } }
  const answers = await Promise.all([1, 2].map(() => system.inject('POST', '/executions', { body })))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400])
  const refused = answers.find(({ status }) => status === 400)
  expect(refused?.body.error_code).toBe('existing_running_execution_error')
  const [first] = answers.filter(({ status }) => status === 201)
  expect(await system.ended(first?.body.id)).toMatchObject({ status: 'terminated' })
  expect(await states('race', 'host')).toEqual(['started', 'started'])
})

test('scaling, uninstalling and deleting at once end in what agrees, and each loser is told why', async () => {
  await installed('contended')
  const start = (workflow_id: string, parameters: object = {}) =>
    system.inject('POST', '/executions', { body: { deployment_id: 'contended', workflow_id, parameters } })
  const [scaling, uninstalling, deleting, modifying] = await Promise.all([
    start('scale', { scalable_entity_name: 'pair' }),
    start('uninstall'),
    system.inject('DELETE', '/deployments/contended'),
    system.inject('POST', '/deployment-modifications', {
      body: { deployment_id: 'contended', nodes: { host: { instances: 2 } } },
    }),
  ])
  expect(deleting).toMatchObject({ status: 400, body: { error_code: 'dependent_exists_error' } })
  const started = [scaling, uninstalling].filter(({ status }) => status === 201)
  expect(started).toHaveLength(1)
  const refused = [scaling, uninstalling].find(({ status }) => status !== 201)
  expect(refused?.body.error_code).toBe('existing_running_execution_error')
  const isModified = modifying.status === 201
  if (!isModified) {
    expect(modifying.body.error_code).toBe('existing_started_deployment_modification_error')
  }
  const ended = await system.ended(started[0]?.body.id)
  const isScale = ended.workflow_id === 'scale'
  // Whichever modification came first; of the other its execution is told.
  if (isScale && isModified && ended.status === 'failed') {
    expect(ended.error).toContain('existing started deployment modifications')
  } else expect(ended.status).toBe('terminated')
  if (isModified) {
    const { id } = modifying.body
    const rolled = await system.inject('POST', `/deployment-modifications/${id}/rollback`, { body: {} })
    expect(rolled.status).toBe(200)
  }
})

test('a cancelled scale is gone on with by a resume', async () => {
  await installed('cancelled')
  const id = await system.start('cancelled', 'scale', {
    parameters: { scalable_entity_name: 'host' },
  })
  await system.inject('POST', `/executions/${id}`, { body: { action: 'cancel' } })
  const ended = await system.ended(id)
  if (ended.status === 'cancelled') {
    await system.inject('POST', `/executions/${id}`, { body: { action: 'resume' } })
    expect(await system.ended(id)).toMatchObject({ status: 'terminated' })
  }
  expect(await states('cancelled', 'host')).toEqual(['started', 'started'])
  expect(await modifications('cancelled')).toEqual(['finished'])
})
