import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError, type Event, firstValue, notFound } from '@tutti/api'
import { list as listArchive } from 'tar'
import { afterEach, expect, test } from 'vitest'
import {
  type ContractHandlers,
  type ContractServer,
  sampleBlueprint,
  sampleEvent,
  sampleExecution,
  sampleList,
  startContractServer,
} from '../test/index.ts'
import { type Client, createClient } from './client.ts'
import type { Credentials } from './connection.ts'
import { ClientError, ConnectionError } from './errors.ts'
import { findArchiveSource } from './index.ts'

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0)) await close()
})

const admin: Credentials = { kind: 'password', username: 'admin', password: 's3cret' }

async function clientOf(
  handlers: ContractHandlers,
  credentials: Credentials = admin,
): Promise<{ client: Client; server: ContractServer }> {
  const server = await startContractServer(handlers)
  opened.push(server.close)
  return { client: createClient({ url: server.url, tenant: 'default_tenant', credentials }), server }
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tutti-client-'))
  opened.push(() => rm(folder, { recursive: true }))
  return folder
}

const noWait = async () => {}

test('every request carries the credentials and the tenant', async () => {
  const seen: unknown[] = []
  const handlers: ContractHandlers = {
    'executions.get': ({ headers, params }) => {
      seen.push([headers.authorization, headers['authentication-token'], headers.tenant, params])
      return sampleExecution()
    },
  }
  await (await clientOf(handlers)).client.executions.get('a/b')
  await (await clientOf(handlers, { kind: 'token', token: 'ctok-1-2' })).client.executions.get('x')
  expect(seen).toEqual([
    [`Basic ${btoa('admin:s3cret')}`, undefined, 'default_tenant', { execution_id: 'a/b' }],
    [undefined, 'ctok-1-2', 'default_tenant', { execution_id: 'x' }],
  ])
})

test('a refusal keeps status, code, message and hint of the manager', async () => {
  const { client } = await clientOf({
    'executions.get': ({ params }) => {
      throw notFound('Execution', params.execution_id ?? '', undefined, { hint: 'List them' })
    },
  })
  const error = await client.executions.get('x').catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ClientError)
  expect(error).toMatchObject({
    status: 404,
    code: 'not_found_error',
    message: 'Requested `Execution` with ID `x` was not found',
    hint: 'List them',
    request: 'GET /executions/x',
  })
})

test('a manager that is not there is said so, with its address and what to do', async () => {
  const { client, server } = await clientOf({})
  await server.close()
  const error = await client.manager.version().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ConnectionError)
  expect(error).toMatchObject({
    message: expect.stringContaining(server.url),
    hint: expect.stringContaining('tutti serve'),
  })
})

test('a list is read page by page until its end', async () => {
  const all = Array.from({ length: 2500 }, (_, index) => sampleExecution({ id: String(index) }))
  const { client, server } = await clientOf({
    'executions.list': ({ query }) =>
      sampleList(all, Number(firstValue(query, '_offset')), Number(firstValue(query, '_size'))),
  })
  const ids: string[] = []
  for await (const { id } of client.executions.iterate({ query: { status: ['failed', 'started'] } }))
    ids.push(id)
  expect(ids).toEqual(all.map(({ id }) => id))
  expect(server.requests).toHaveLength(3)
  expect(server.requests[0]).toBe(
    'GET /api/v3.1/executions?status=failed&status=started&_offset=0&_size=1000',
  )
})

test('a folder is uploaded as an archive of exactly one folder, without version control', async () => {
  const folder = join(await temporaryFolder(), 'web')
  await mkdir(join(folder, '.git'), { recursive: true })
  await writeFile(join(folder, 'app.yaml'), 'tosca_definitions_version: cloudify_dsl_1_5\n')
  await writeFile(join(folder, '.git', 'HEAD'), 'x')
  const uploaded: { bytes: Buffer; query: unknown }[] = []
  const { client } = await clientOf({
    'blueprints.upload': ({ bytes, query, params }) => {
      uploaded.push({ bytes, query })
      return sampleBlueprint({ id: params.blueprint_id ?? '' })
    },
  })

  const source = await findArchiveSource(join(folder, 'app.yaml'))
  const blueprint = await client.blueprints.upload('web', source, { labels: [['env', 'a,b']], isAsync: true })

  expect(blueprint.id).toBe('web')
  expect(uploaded[0]?.query).toEqual({
    application_file_name: ['app.yaml'],
    labels: ['env=a\\,b'],
    async_upload: ['true'],
  })
  const archive = join(folder, 'sent.tar.gz')
  await writeFile(archive, uploaded[0]?.bytes ?? '')
  const entries: string[] = []
  await listArchive({ file: archive, onReadEntry: ({ path }) => void entries.push(path) })
  expect(entries.sort()).toEqual(['./web/', './web/app.yaml'])
  expect(await findArchiveSource(archive)).toMatchObject({ kind: 'archive' })
})

test('a path without anything is refused before a request is made', async () => {
  await expect(findArchiveSource('/nowhere/at/all')).rejects.toThrow(
    'There is no file or folder /nowhere/at/all',
  )
})

test('an archive is downloaded into a new file, never over an old one', async () => {
  const { client } = await clientOf({ 'blueprints.download': () => Buffer.from('archive') })
  const file = join(await temporaryFolder(), 'web.tar.gz')
  await client.blueprints.downloadTo('web', file)
  expect(await readFile(file, 'utf8')).toBe('archive')
  await expect(client.blueprints.downloadTo('web', file)).rejects.toThrow('EEXIST')
  const { filename, size, bytes } = await client.blueprints.download('web')
  await bytes.cancel()
  expect({ filename, size }).toEqual({ filename: 'archive.tar.gz', size: 7 })
  expect(existsSync(file)).toBe(true)
})

/** An execution that ends after some looks, with more events at each of them. */
function runningExecution(looks: readonly (readonly Event[])[]): ContractHandlers {
  let look = 0
  return {
    'executions.get': () => {
      look += 1
      return sampleExecution({ status: look >= looks.length ? 'terminated' : 'started' })
    },
    'events.list': ({ query }) =>
      sampleList(
        looks[look - 1] ?? [],
        Number(firstValue(query, '_offset')),
        Number(firstValue(query, '_size')),
      ),
  }
}

const events = (...numbers: readonly number[]) => numbers.map((number) => sampleEvent(number))

test('following hands over every event once, in order, and ends with the execution', async () => {
  const many = Array.from({ length: 250 }, (_, index) => index + 1)
  const { client } = await clientOf(runningExecution([events(1, 2), events(1, 2), events(...many)]))
  const seen: number[] = []
  const execution = await client.executions.follow('x', {
    onEvent: ({ _storage_id }) => seen.push(_storage_id),
    wait: noWait,
  })
  expect(execution.status).toBe('terminated')
  expect(seen).toEqual(many)
})

test('an event that was stored late among those already read is not lost', async () => {
  const { client } = await clientOf(runningExecution([events(1, 3), events(1, 2, 3), events(1, 2, 3, 4)]))
  const seen: number[] = []
  await client.executions.follow('x', { onEvent: ({ _storage_id }) => seen.push(_storage_id), wait: noWait })
  expect(seen).toEqual([1, 3, 2, 4])
})

test('following outlives a manager that is away for a moment', async () => {
  let look = 0
  const lost: string[] = []
  const { client } = await clientOf({
    'executions.get': () => {
      look += 1
      if (look === 1) throw new ApiError('maintenance_mode_active', 'away')
      return sampleExecution()
    },
    'events.list': () => sampleList([]),
  })
  const options = { onConnectionLost: ({ message }: Error) => lost.push(message), wait: noWait }
  expect((await client.executions.follow('x', options)).status).toBe('terminated')
  expect(lost).toEqual(['away'])
})

test('following gives up when the manager stays away, and stops when told to', async () => {
  const away = await clientOf({
    'executions.get': () => {
      throw new ApiError('maintenance_mode_active', 'away')
    },
  })
  await expect(away.client.executions.follow('x', { wait: noWait, patienceMs: 2000 })).rejects.toThrow('away')

  const running = await clientOf(runningExecution([[], [], []]))
  const controller = new AbortController()
  const following = running.client.executions.follow('x', {
    signal: controller.signal,
    onExecution: () => controller.abort(),
  })
  await expect(following).rejects.toThrow(/abort/)
})

test('deleting a deployment is over when it is gone, or its execution failed', async () => {
  let look = 0
  const gone = await clientOf({
    'executions.list': () => sampleList([sampleExecution({ status: 'started' })]),
    'deployments.get': () => {
      look += 1
      throw look === 1
        ? new ApiError('conflict_error', 'not the error that means gone')
        : notFound('Deployment', 'web')
    },
  })
  await expect(gone.client.deployments.waitUntilDeleted('web', undefined, noWait)).rejects.toThrow(
    'not the error',
  )
  expect(await gone.client.deployments.waitUntilDeleted('web', undefined, noWait)).toBeUndefined()
})
