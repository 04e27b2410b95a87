import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintText } from '../../../test/archives.ts'
import { addUser } from '../../../test/fixtures.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

let system: TestSystem
beforeAll(async () => {
  system = await startTestSystem()
  await addUser(system.db, 'viewer1', { tenants: { 0: 'viewer' } })
})
afterAll(() => system.close())

const validate = (id: string, body: Uint8Array | FormData, query = '') =>
  system.send('PUT', `/blueprints/${id}/validate?${query}`, { body })

async function blueprints() {
  return (await system.inject('GET', '/blueprints?is_hidden=true&is_hidden=false')).body.items
}

test('a valid blueprint is answered by nothing, and nothing of it stays but its execution', async () => {
  const form = new FormData()
  form.set('params', JSON.stringify({ visibility: 'tenant', application_file_name: 'blueprint.yaml' }))
  form.set('blueprint_archive', new Blob([new Uint8Array(blueprintArchive())]))
  for (const body of [blueprintArchive(), form]) {
    expect(await validate('fine', body)).toMatchObject({ status: 204, text: '' })
  }
  expect(await blueprints()).toEqual([])
  const { body } = await system.inject('GET', '/executions?workflow_id=upload_blueprint')
  expect(
    body.items.map((one: { status: string; parameters: object }) => [one.status, one.parameters]),
  ).toEqual([
    ['terminated', expect.objectContaining({ blueprint_id: 'fine', validate_only: true })],
    ['terminated', expect.objectContaining({ blueprint_id: 'fine', validate_only: true })],
  ])
})

test.each<[string, Uint8Array, string, string]>([
  [
    'a mistake in it',
    blueprintArchive('node_templates: 1'),
    'invalid_blueprint_error',
    'Invalid blueprint - ',
  ],
  ['a damaged archive', blueprintArchive().subarray(0, 50), 'invalid_blueprint_error', 'damaged'],
  ['no archive', Buffer.from('text'), 'bad_parameters_error', 'Supported formats'],
  ['nothing', Buffer.from(''), 'bad_parameters_error', 'Missing blueprint archive'],
])('a blueprint with %s is answered by the cause', async (_what, archive, code, message) => {
  expect(await validate('wrong', archive)).toMatchObject({
    status: 400,
    body: { error_code: code, message: expect.stringContaining(message) },
  })
  expect(await blueprints()).toEqual([])
})

test('the main file can be named', async () => {
  const archive = blueprintArchive('nothing of use', { 'other.yaml': blueprintText() })
  expect((await validate('named', archive, 'application_file_name=other.yaml')).status).toBe(204)
})

test('an id that is taken is a conflict, whatever its state, and stays as it is', async () => {
  await system.upload('taken')
  await system.send('PUT', '/blueprints/failed', { body: blueprintArchive('node_templates: 1') })
  for (const [id, state] of [
    ['taken', 'uploaded'],
    ['failed', 'invalid'],
  ] as const) {
    expect(await validate(id, blueprintArchive())).toMatchObject({
      status: 409,
      body: { error_code: 'conflict_error', message: expect.stringContaining('already exists') },
    })
    expect((await system.inject('GET', `/blueprints/${id}`)).body).toMatchObject({ state })
  }
})

test('needs the permission to upload', async () => {
  const answer = await system.send('PUT', '/blueprints/x/validate', {
    body: blueprintArchive(),
    user: 'viewer1',
  })
  expect(answer).toMatchObject({ status: 403, body: { error_code: 'forbidden_error' } })
})
