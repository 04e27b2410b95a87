import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError, type Execution, notFound } from '@tutti/api'
import {
  type ContractHandlers,
  sampleBlueprint,
  sampleDeployment,
  sampleEvent,
  sampleExecution,
  sampleList,
} from '@tutti/client/testing'
import { afterEach, expect, test } from 'vitest'
import { type Cli, startCli } from '../../test/cli.ts'
import type { TestEnvironmentOptions } from '../../test/test-environment.ts'

const opened: Cli[] = []
afterEach(async () => {
  for (const cli of opened.splice(0)) await cli.close()
})

/** A manager on which everything of an installation goes well, unless a test says otherwise. */
async function manager(over: ContractHandlers = {}, options?: TestEnvironmentOptions) {
  const bodies: Record<string, unknown> = {}
  const handlers: ContractHandlers = {
    'blueprints.upload': () => sampleBlueprint({ state: 'parsing' }),
    'blueprints.get': () => sampleBlueprint(),
    'deployments.create': ({ body }) => {
      bodies.create = body
      return sampleDeployment()
    },
    'deployments.get': () => sampleDeployment({ create_execution: 'creation' }),
    'executions.start': ({ body }) => {
      bodies.start = body
      return sampleExecution({ status: 'pending' })
    },
    'executions.get': ({ params }) => sampleExecution({ id: params.execution_id ?? '' }),
    'events.list': () => sampleList([sampleEvent(1), sampleEvent(2, { message: 'Node instance started' })]),
    ...over,
  }
  const cli = await startCli(handlers, options)
  opened.push(cli)
  const folder = join(cli.environment.workingFolder, 'web')
  await mkdir(folder)
  await writeFile(join(folder, 'blueprint.yaml'), 'tosca_definitions_version: cloudify_dsl_1_5\n')
  return { ...cli, bodies }
}

test('install uploads, creates, runs and shows the events as plain lines in a pipe', async () => {
  const { tutti, environment, bodies, server } = await manager()
  await writeFile(join(environment.workingFolder, 'inputs.yaml'), 'port: 1\nname: a\n')
  const code = await tutti(
    'install',
    'web',
    '-d',
    'web-1',
    '-i',
    'inputs.yaml',
    '-i',
    'port=8080',
    '--label',
    'env=prod',
  )
  expect(code).toBe(0)
  expect(environment.written()).toBe(
    [
      'Uploading blueprint web …',
      'Uploading blueprint web: done',
      'Creating deployment web-1 …',
      'Creating deployment web-1: done',
      '2026-11-21T10:00:00.000Z [web] event 1',
      '2026-11-21T10:00:00.000Z [web] Node instance started',
      'install of web succeeded',
      '  next: tutti deployments outputs web-1',
      '',
    ].join('\n'),
  )
  expect(bodies.create).toEqual({ blueprint_id: 'web', inputs: { port: 8080, name: 'a' } })
  expect(bodies.start).toMatchObject({ deployment_id: 'web-1', workflow_id: 'install', parameters: {} })
  expect(server.requests[0]).toBe('PUT /api/v3.1/blueprints/web?labels=env%3Dprod&async_upload=true')
})

test('with --json install prints a JSON object a line, the execution last', async () => {
  const { tutti, environment } = await manager()
  expect(await tutti('install', 'web', '--json')).toBe(0)
  const lines = environment
    .written()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines).toMatchObject([
    { message: 'event 1' },
    { message: 'Node instance started' },
    { status: 'terminated' },
  ])
})

test('on a terminal there is one status line below the events', async () => {
  const { tutti, environment } = await manager({}, { isTerminal: true, variables: { NO_COLOR: '1' } })
  expect(await tutti('install', 'web')).toBe(0)
  const written = environment.written()
  expect(written).toContain('✔ Uploading blueprint web 0.0 s\n')
  expect(written).toContain('10:00:00.000 [web] event 1\n')
  expect(written).toContain('████████████████████ 2/2 operations  Ctrl-C detaches')
  expect(written.endsWith('✔ install of web succeeded\n  next: tutti deployments outputs web\n')).toBe(true)
})

test('an install that fails says why and how to go on', async () => {
  const failed: Partial<Execution> = { status: 'failed', error: 'Task failed: no disk' }
  const { tutti, environment } = await manager({
    'executions.get': ({ params }) =>
      params.execution_id === 'creation' ? sampleExecution() : sampleExecution({ ...failed, id: 'e1' }),
  })
  expect(await tutti('install', 'web')).toBe(1)
  expect(environment.errors()).toBe(
    'install of web failed: Task failed: no disk\n  execution: e1\n  next:      tutti executions resume e1\n',
  )
})

test('a blueprint that does not parse stops the installation with the words of the parser', async () => {
  const { tutti, environment, server } = await manager({
    'blueprints.get': () => sampleBlueprint({ state: 'invalid', error: 'line 3: unknown type' }),
  })
  expect(await tutti('install', 'web')).toBe(1)
  expect(environment.errors()).toContain('Blueprint web is invalid: line 3: unknown type')
  expect(server.requests.some((request) => request.includes('/deployments/'))).toBe(false)
})

test('what is wrong with the command line is said before anything is uploaded', async () => {
  const { tutti, environment, server } = await manager()
  expect(await tutti('install', 'nowhere')).toBe(2)
  expect(await tutti('install', 'web', '-i', 'missing.yaml')).toBe(2)
  expect(environment.errors()).toContain('There is no file or folder')
  expect(environment.errors()).toContain('missing.yaml is neither name=value, nor a JSON object, nor a file')
  expect(server.requests).toEqual([])
})

test('Ctrl-C while following detaches and says how to follow and how to cancel', async () => {
  const { tutti, environment } = await manager({
    'executions.get': ({ params }) => {
      if (params.execution_id !== 'creation') environment.interrupt()
      return sampleExecution({ status: params.execution_id === 'creation' ? 'terminated' : 'started' })
    },
  })
  expect(await tutti('install', 'web')).toBe(1)
  const { id } = sampleExecution()
  expect(environment.errors()).toBe(
    `Detached: install goes on without you.\n  follow: tutti executions follow ${id}\n  cancel: tutti executions cancel ${id}\n`,
  )
})

test('--detach starts the installation and returns', async () => {
  const { tutti, environment } = await manager()
  expect(await tutti('install', 'web', '--detach')).toBe(0)
  expect(environment.written()).toContain(
    `install is pending. Follow it: tutti executions follow ${sampleExecution().id}`,
  )
})

test('a workflow waits for the deployment to be created', async () => {
  let tries = 0
  const { tutti, server } = await manager({
    'executions.start': () => {
      tries += 1
      if (tries === 1) throw new ApiError('deployment_environment_creation_in_progress_error', 'not yet')
      return sampleExecution({ status: 'pending' })
    },
  })
  expect(await tutti('executions', 'start', 'install', '-d', 'web')).toBe(0)
  expect(server.requests).toContain('GET /api/v3.1/executions/creation')
  expect(tries).toBe(2)
})

test('uninstall runs the workflow and deletes the deployment, unless told to keep it', async () => {
  let isDeleted = false
  const over: ContractHandlers = {
    'deployments.get': () => {
      if (isDeleted) throw notFound('Deployment', 'web')
      return sampleDeployment()
    },
    'deployments.delete': () => {
      isDeleted = true
      return undefined
    },
    'executions.list': () => sampleList([]),
    'executions.start': () => sampleExecution({ workflow_id: 'uninstall', status: 'pending' }),
  }
  const kept = await manager(over)
  expect(await kept.tutti('uninstall', 'web', '--keep')).toBe(0)
  expect(isDeleted).toBe(false)
  const { tutti, environment } = await manager(over)
  expect(await tutti('uninstall', 'web')).toBe(0)
  expect(environment.written()).toContain('Deleting deployment web: done\n')
  expect(isDeleted).toBe(true)
})
