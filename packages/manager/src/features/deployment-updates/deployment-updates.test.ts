import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { whatDisagrees } from '@tutti/domain/deployment-modifications'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintText } from '../../../test/archives.ts'
import { addTenant, addUser } from '../../../test/fixtures.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

let system: TestSystem
const deployments: string[] = []

const script = (name: string) => ({
  implementation: `${name}.sh`,
  executor: 'central_deployment_agent',
})
const scripts = (name: string, ...names: readonly string[]) =>
  Object.fromEntries(names.map((one) => [one, script(name)]))
const linked = (target: string, file: string) => ({
  target,
  type: 'cloudify.relationships.connected_to',
  source_interfaces: {
    'cloudify.interfaces.relationship_lifecycle': scripts(file, 'establish', 'unlink'),
  },
})
const node = (more: object = {}, operations: object = {}, type = 'thing') => ({
  type,
  interfaces: { 'cloudify.interfaces.lifecycle': operations },
  ...more,
})

const types = {
  node_types: {
    thing: {
      derived_from: 'cloudify.nodes.Root',
      properties: { size: { default: 1 } },
    },
    other: { derived_from: 'cloudify.nodes.Root' },
  },
  inputs: { size: { default: 1 }, unused: { required: false } },
}

/** `file` is the only script of the blueprint: operations need the archive that they were written for. */
const blueprint = (file: string, templates: object, more: object = {}) =>
  blueprintArchive(blueprintText({ ...types, node_templates: templates, ...more }), {
    [`${file}.sh`]: '#!/bin/bash\ntrue\n',
  })

const sized = { properties: { size: { get_input: 'size' } } }
const first = () =>
  blueprint(
    'one',
    {
      db: node(sized, scripts('one', 'create', 'delete')),
      app: node(
        { relationships: [linked('db', 'one'), linked('old', 'one')] },
        scripts('one', 'start', 'stop'),
      ),
      old: node({ relationships: [linked('db', 'one')] }, scripts('one', 'create', 'delete')),
    },
    { outputs: { o: { value: 1 } }, description: 'first' },
  )
const second = () =>
  blueprint(
    'two',
    {
      fresh: node({ relationships: [linked('db', 'two')] }, scripts('two', 'create', 'delete')),
      db: node(sized, scripts('two', 'create', 'delete', 'update')),
      app: node(
        { relationships: [linked('fresh', 'two'), linked('db', 'two')] },
        scripts('two', 'start', 'stop'),
      ),
    },
    { outputs: { o: { value: 2 } }, description: 'second', labels: { team: { values: ['blue'] } } },
  )

beforeAll(async () => {
  system = await startTestSystem()
  const away = await addTenant(system.db, 'away')
  await addUser(system.db, 'vera', { tenants: { 0: 'viewer' } })
  await addUser(system.db, 'stranger', { tenants: { [away]: 'manager' } })
  await system.inject('PUT', '/config/task_retries', { body: { value: 0 } })
  await system.upload('first', first())
  await system.upload('second', second())
})
afterAll(() => system.close())

/** Whatever was done: instances, relationships and numbers agree, and nothing is left half way. */
afterEach(async () => {
  for (const id of deployments.splice(0))
    expect([id, await whatDisagrees(system.db, 0, id)]).toEqual([id, []])
})

async function installed(id: string, blueprintId = 'first', body: object = {}): Promise<void> {
  await system.deploy(id, blueprintId, { ...body })
  deployments.push(id)
  expect(await system.ended(await system.start(id, 'install'))).toMatchObject({ status: 'terminated' })
}
const initiate = (id: string, body: object = {}) =>
  system.inject('POST', `/deployment-updates/${id}/update/initiate`, { body })
async function updated(id: string, body: object = {}) {
  const { status, body: update } = await initiate(id, body)
  expect([status, update.state]).toEqual([200, 'updating'])
  const execution = await system.ended(update.execution_id)
  const after = (await system.inject('GET', `/deployment-updates/${update.id}`)).body
  return { execution, update: after, ran: await operations(update.execution_id) }
}
const deployment = async (id: string) => (await system.inject('GET', `/deployments/${id}`)).body
const instances = async (id: string) =>
  (await system.inject('GET', `/node-instances?deployment_id=${id}&_size=1000`)).body.items
const nodes = async (id: string) =>
  (await system.inject('GET', `/nodes?deployment_id=${id}&_size=1000`)).body.items

/** `NODE OPERATION` of what succeeded, in its order. */
async function operations(executionId: string): Promise<readonly string[]> {
  const { items } = (
    await system.inject('GET', `/events?execution_id=${executionId}&_size=1000&_sort=timestamp`)
  ).body
  return items
    .filter(
      (one: { event_type: string; operation: string }) =>
        one.event_type === 'task_succeeded' && one.operation,
    )
    .map(
      (one: { node_name: string; operation: string }) =>
        `${one.node_name} ${one.operation.split('.').at(-1)}`,
    )
}
const names = (list: readonly { node_id: string; modification?: string }[], mark: string) =>
  list.filter(({ modification }) => modification === mark).map(({ node_id }) => node_id)
const stepsOf = (update: {
  steps: readonly { action: string; entity_type: string; entity_id: string[] }[]
}) => update.steps.map(({ action, entity_type: type, entity_id: id }) => `${action} ${type} ${id.join(':')}`)

test('a preview says what would be, and changes nothing', async () => {
  await installed('previewed')
  const before = [await deployment('previewed'), await nodes('previewed'), await instances('previewed')]
  const { status, body } = await initiate('previewed', { blueprint_id: 'second', preview: true })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    id: expect.stringMatching(/^previewed-[0-9a-f-]{36}$/),
    deployment_id: 'previewed',
    state: 'successful',
    preview: true,
    old_blueprint_id: 'first',
    new_blueprint_id: 'second',
    old_inputs: { size: 1 },
    new_inputs: { size: 1, unused: null },
    labels_to_create: [{ key: 'team', value: 'blue' }],
    recursive_dependencies: [],
    schedules_to_create: null,
    deployment_update_nodes: { add: ['fresh'], remove: ['old'] },
    created_by: 'admin',
    tenant_name: 'default_tenant',
  })
  expect(stepsOf(body)).toEqual([
    'remove relationship nodes:app:relationships:1',
    'remove node nodes:old',
    'add node nodes:fresh',
    'add relationship nodes:app:relationships:0',
    'modify description description',
    'modify operation nodes:db:operations:cloudify.interfaces.lifecycle.create',
    'modify operation nodes:db:operations:cloudify.interfaces.lifecycle.delete',
    'modify operation nodes:db:operations:update',
    'modify operation nodes:db:operations:cloudify.interfaces.lifecycle.update',
    'modify operation nodes:app:operations:cloudify.interfaces.lifecycle.start',
    'modify operation nodes:app:operations:cloudify.interfaces.lifecycle.stop',
    'modify relationship nodes:app:relationships:0:1',
    ...['establish', 'unlink'].flatMap((name) => [
      `modify operation nodes:app:relationships:1:source_operations:${name}`,
      `modify operation nodes:app:relationships:1:source_operations:cloudify.interfaces.relationship_lifecycle.${name}`,
    ]),
    'modify output outputs:o',
  ])
  const lists = body.deployment_update_node_instances
  expect(names(lists.added_and_related, 'added')).toEqual(['fresh'])
  expect(names(lists.removed_and_related, 'removed')).toEqual(['old'])
  expect(names(lists.extended_and_related, 'extended')).toEqual(['app'])
  expect(names(lists.reduced_and_related, 'reduced')).toEqual(['app'])
  expect(lists.relationships_changed).toEqual(['app'])
  const changes = body.instance_changes.map((one: { node_id: string; change: string; because: string }) => [
    one.node_id,
    one.change,
    one.because,
  ])
  expect(changes).toEqual([
    ['app', 'reinstall', 'changed'],
    ['db', 'update', 'changed'],
  ])
  expect(body.deployment_plan.nodes.map(({ id }: { id: string }) => id)).toEqual(['fresh', 'db', 'app'])
  const execution = await system.ended(body.execution_id)
  expect(execution).toMatchObject({ status: 'terminated', workflow_id: 'update', total_operations: 0 })
  const same = (one: object) =>
    Object.fromEntries(Object.entries(one).filter(([name]) => !name.startsWith('latest_execution')))
  const after = [await deployment('previewed'), await nodes('previewed'), await instances('previewed')]
  expect([same(after[0]), ...after.slice(1)]).toEqual([same(before[0]), ...before.slice(1)])
})

test('an update does what its preview says, with the files that each operation was written for', async () => {
  await installed('whole')
  const preview = (await initiate('whole', { blueprint_id: 'second', preview: true })).body
  const { execution, update, ran } = await updated('whole', { blueprint_id: 'second' })
  expect(execution).toMatchObject({ status: 'terminated', error: '' })
  expect(update).toMatchObject({ state: 'successful', preview: false })
  expect(stepsOf(update)).toEqual(stepsOf(preview))
  expect(ran).toEqual([
    'app unlink',
    'old unlink',
    'old delete',
    'db update',
    'app stop',
    'app unlink',
    'app start',
    'app establish',
    'fresh create',
    'fresh establish',
    'app establish',
  ])
  expect(await deployment('whole')).toMatchObject({
    blueprint_id: 'second',
    description: 'second',
    outputs: { o: { value: 2 } },
    labels: [{ key: 'team', value: 'blue' }],
    installation_status: 'active',
  })
  const now = await instances('whole')
  expect(now.map(({ node_id }: { node_id: string }) => node_id).toSorted()).toEqual(['app', 'db', 'fresh'])
  expect(new Set(now.map(({ state }: { state: string }) => state))).toEqual(new Set(['started']))
  const [app] = now.filter(({ node_id }: { node_id: string }) => node_id === 'app')
  expect(app.relationships.map((edge: { target_name: string }) => edge.target_name)).toEqual(['fresh', 'db'])
  const [stored] = (await nodes('whole')).filter(({ id }: { id: string }) => id === 'app')
  expect(stored.relationships.map((edge: { target_id: string }) => edge.target_id)).toEqual(['fresh', 'db'])
  // What is the same already takes nothing.
  const again = await updated('whole', { blueprint_id: 'second' })
  expect([stepsOf(again.update), again.ran]).toEqual([[], []])
})

test('other inputs alone update what they change, and an undeclared one is left out', async () => {
  await installed('inputs')
  const { update, ran } = await updated('inputs', { inputs: { size: 5, nothing: 1 } })
  expect(stepsOf(update)).toEqual(['modify property nodes:db:properties:size'])
  expect(update).toMatchObject({ new_blueprint_id: 'first', new_inputs: { size: 5, unused: null } })
  expect(ran).toEqual([
    'app unlink',
    'old unlink',
    'db delete',
    'db create',
    'old establish',
    'app establish',
  ])
  expect(await deployment('inputs')).toMatchObject({ inputs: { size: 5, unused: null } })
  const kept = await updated('inputs', { inputs: { size: 6 }, skip_reinstall: true })
  expect([stepsOf(kept.update).length, kept.ran]).toEqual([1, []])
  const [app] = (await instances('inputs')).filter(({ node_id }: { node_id: string }) => node_id === 'app')
  const listed = await updated('inputs', { skip_reinstall: true, reinstall_list: [app.id] })
  expect(listed.ran).toEqual([
    'app stop',
    'app unlink',
    'app unlink',
    'app start',
    'app establish',
    'app establish',
  ])
})

test('skip_install and skip_uninstall leave out the operations, not the changes', async () => {
  await installed('skipping')
  const { ran } = await updated('skipping', {
    blueprint_id: 'second',
    skip_install: 'true',
    skip_uninstall: true,
    skip_reinstall: true,
  })
  expect(ran).toEqual(['db update'])
  const states = (await instances('skipping')).map((one: { node_id: string; state: string }) => [
    one.node_id,
    one.state,
  ])
  expect(Object.fromEntries(states)).toEqual({ app: 'started', db: 'started', fresh: 'uninitialized' })
})

test('what no update can change fails it before anything is changed', async () => {
  await system.upload('unsupported', blueprint('one', { db: node({}, {}, 'other') }))
  await installed('refused')
  const before = [await nodes('refused'), await instances('refused')]
  const { execution, update } = await updated('refused', { blueprint_id: 'unsupported' })
  expect(execution).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('Cannot update: unsupported steps found: modify node nodes:db'),
  })
  expect(update).toMatchObject({ state: 'failed' })
  expect([await nodes('refused'), await instances('refused')]).toEqual(before)
  const preview = (await initiate('refused', { blueprint_id: 'unsupported', preview: true })).body
  expect(preview).toMatchObject({ state: 'failed' })
})

test('parameters are refused for what they are', async () => {
  await system.deploy('params', 'first')
  const refused = async (body: object) => {
    const answer = await initiate('params', body)
    return [answer.status, answer.body.error_code]
  }
  expect(await refused({ inputs: [1] })).toEqual([400, 'bad_parameters_error'])
  expect(await refused({ reinstall_list: 'x' })).toEqual([400, 'bad_parameters_error'])
  expect(await refused({ preview: 'perhaps' })).toEqual([400, 'bad_parameters_error'])
  expect(await refused({ blueprint_id: 'none' })).toEqual([404, 'not_found_error'])
  expect(await refused({ workflow_id: 'custom' })).toEqual([501, 'not_implemented'])
  const missing = await initiate('nowhere')
  expect([missing.status, missing.body.error_code]).toEqual([404, 'not_found_error'])
  const put = await system.inject('PUT', '/deployment-updates/params/update/initiate', {
    body: { preview: true },
  })
  expect(put).toMatchObject({ status: 200, body: { state: 'successful', steps: [] } })
  const listed = await updated('params', { reinstall_list: ['nobody_123456'] })
  expect(listed.execution).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('nobody_123456'),
  })
})

test('dependents keep a deployment from being updated, unless forced, and a preview tells of them', async () => {
  await system.upload(
    'using',
    blueprint('one', { a: node() }, { outputs: { c: { value: { get_capability: ['used', 'c'] } } } }),
  )
  await system.upload('offering', blueprint('one', { a: node() }, { capabilities: { c: { value: 1 } } }))
  await system.deploy('used', 'offering')
  await system.deploy('user', 'using')
  const refused = await initiate('used')
  expect([refused.status, refused.body.error_code]).toEqual([400, 'dependent_exists_error'])
  const { items } = (await system.inject('GET', '/deployment-updates?deployment_id=used')).body
  expect(items).toMatchObject([{ state: 'failed', execution_id: null }])
  const preview = (await initiate('used', { preview: true })).body
  expect(preview.recursive_dependencies).toMatchObject([
    { deployment: 'user', dependency_type: 'deployment', tenant: 'default_tenant' },
  ])
  expect((await updated('used', { force: true })).execution).toMatchObject({ status: 'terminated' })
})

test('a failed update can be resumed, and replaced by another one', async () => {
  const templates = {
    db: node(sized, scripts('one', 'create', 'delete')),
    app: node(
      { relationships: [linked('db', 'one'), linked('old', 'one')] },
      scripts('one', 'start', 'stop'),
    ),
    old: node({ relationships: [linked('db', 'one')] }, scripts('one', 'create', 'delete')),
    extra: node({}, scripts('two', 'create')),
  }
  const marker = join(system.services.settings.dataFolder, 'marker')
  const failing = blueprintText({ ...types, node_templates: templates })
  const files = { 'one.sh': '#!/bin/bash\ntrue\n', 'two.sh': `#!/bin/bash\n[ -e '${marker}' ]\n` }
  await system.upload('failing', blueprintArchive(failing, files))
  await installed('resumed')
  const { execution, update } = await updated('resumed', { blueprint_id: 'failing' })
  expect([execution.status, update.state]).toEqual(['failed', 'failed'])
  expect(await deployment('resumed')).toMatchObject({ blueprint_id: 'failing', description: null })
  // A new one finds what the failed one has left, and goes from there.
  const back = await updated('resumed', { blueprint_id: 'first' })
  expect(back.execution).toMatchObject({ status: 'terminated', error: '' })
  expect((await nodes('resumed')).map(({ id }: { id: string }) => id)).toEqual(['db', 'app', 'old'])
  const resume = async (id: string) => {
    const answer = await system.inject('POST', `/executions/${id}`, { body: { action: 'resume' } })
    expect(answer.status).toBe(200)
    return system.ended(id)
  }
  // What was applied before another one is not finished after it.
  expect(await resume(execution.id)).toMatchObject({ status: 'failed' })

  const again = await updated('resumed', { blueprint_id: 'failing' })
  expect(again.execution).toMatchObject({ status: 'failed' })
  await writeFile(marker, '')
  expect(await resume(again.execution.id)).toMatchObject({ status: 'terminated', error: '' })
  const finished = (await system.inject('GET', `/deployment-updates/${again.update.id}`)).body
  expect(finished).toMatchObject({ state: 'successful' })
})

test('what changes meanwhile fails an update, before anything of it is written', async () => {
  await installed('racing')
  const started = await system.inject('POST', '/deployment-modifications', {
    body: { deployment_id: 'racing', nodes: { old: { instances: 2 } } },
  })
  expect(started.status).toBe(201)
  const { execution, update } = await updated('racing', { blueprint_id: 'second' })
  expect(execution).toMatchObject({ status: 'failed', error: expect.stringContaining(started.body.id) })
  expect(update).toMatchObject({ state: 'failed' })
  expect(await deployment('racing')).toMatchObject({ blueprint_id: 'first', description: 'first' })
  const rolledBack = await system.inject('POST', `/deployment-modifications/${started.body.id}/rollback`, {
    body: {},
  })
  expect(rolledBack.status).toBe(200)
  const [one, other] = await Promise.all(
    ['second', 'failing'].map((blueprint_id) => initiate('racing', { blueprint_id, force: true })),
  )
  const ends = await Promise.all([one, other].map((answer) => system.ended(answer?.body.execution_id)))
  expect(ends.map(({ status }) => status)).toContain('terminated')
  // Whichever came second found nothing half done, or was refused.
  for (const { status, error } of ends) {
    if (status !== 'terminated') expect(error).toContain('Cannot update deployment racing')
  }
})

test('an update and a modification do not mix, whichever is at work', async () => {
  const marker = join(system.services.settings.dataFolder, 'mixing')
  const templates = {
    db: node(),
    extra: node({}, scripts('two', 'create')),
  }
  const waits = `#!/bin/bash\nwhile [ ! -e '${marker}' ]; do sleep 0.05; done\nrm '${marker}'\n[ ! -e '${marker}-fail' ]\n`
  await system.upload('plain', blueprint('one', { db: node() }))
  await system.upload(
    'waiting',
    blueprintArchive(blueprintText({ ...types, node_templates: templates }), { 'two.sh': waits }),
  )
  await installed('mixed', 'plain')
  const modify = (instances: number) =>
    system.inject('POST', '/deployment-modifications', {
      body: { deployment_id: 'mixed', nodes: { db: { instances } } },
    })
  const { body: update } = await initiate('mixed', { blueprint_id: 'waiting' })
  await expect.poll(async () => (await nodes('mixed')).length, { timeout: 60_000 }).toBe(2)
  const refused = await modify(2)
  expect([refused.status, refused.body.error_code]).toEqual([409, 'conflict_error'])
  expect(refused.body.message).toContain(update.id)
  await writeFile(`${marker}-fail`, '')
  await writeFile(marker, '')
  expect(await system.ended(update.execution_id)).toMatchObject({ status: 'failed' })

  // Nobody knows whether it will be resumed.
  const started = await modify(2)
  expect(started.status).toBe(201)
  await rm(`${marker}-fail`)
  await writeFile(marker, '')
  const resume = async () => {
    await system.inject('POST', `/executions/${update.execution_id}`, { body: { action: 'resume' } })
    return system.ended(update.execution_id)
  }
  expect(await resume()).toMatchObject({
    status: 'failed',
    error: expect.stringContaining(started.body.id),
  })
  const numbers = async () =>
    (await nodes('mixed')).map((one: { number_of_instances: number }) => one.number_of_instances)
  expect(await numbers()).toEqual([1, 1])
  await system.inject('POST', `/deployment-modifications/${started.body.id}/finish`, { body: {} })
  expect(await resume()).toMatchObject({ status: 'terminated', error: '' })
  expect(await numbers()).toEqual([2, 1])
})

test('updates are seen by whoever sees the deployment, and recorded by executions only', async () => {
  await system.deploy('seen', 'first')
  const { body } = await initiate('seen', { preview: true })
  const asVera = await system.inject('GET', `/deployment-updates/${body.id}`, { user: 'vera' })
  expect(asVera).toMatchObject({ status: 200, body: { id: body.id } })
  expect(await initiate('seen')).toMatchObject({ status: 200 })
  const byVera = await system.inject('POST', '/deployment-updates/seen/update/initiate', {
    user: 'vera',
    body: {},
  })
  expect(byVera).toMatchObject({ status: 403 })
  const away = await system.inject('GET', `/deployment-updates/${body.id}`, {
    user: 'stranger',
    tenant: 'away',
  })
  expect(away).toMatchObject({ status: 404 })
  const put = await system.inject('PUT', '/deployment-updates/own', { body: { deployment_id: 'seen' } })
  expect(put).toMatchObject({ status: 403, body: { error_code: 'forbidden_error' } })
  const patched = await system.inject('PATCH', `/deployment-updates/${body.id}`, {
    body: { state: 'failed' },
  })
  expect(patched).toMatchObject({ status: 403 })
  const finalized = await system.inject('POST', `/deployment-updates/${body.id}/update/finalize`, {
    body: {},
  })
  expect(finalized).toMatchObject({ status: 200, body: { id: body.id } })
})
