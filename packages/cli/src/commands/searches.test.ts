import { addDeployment, addExecution } from '@tutti/manager/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RealCli, startRealCli } from '../../test/real-cli.ts'

let cli: RealCli
let execution: string
beforeAll(async () => {
  cli = await startRealCli()
  const { db } = cli.manager
  await addDeployment(db, 'web-1', {
    blueprintId: 'web',
    nodes: [
      { id: 'server', type: 'cloudify.nodes.Compute', instances: [{ id: 'server_1', state: 'started' }] },
      { id: 'page', instances: [{ id: 'page_1' }] },
    ],
    capabilities: { url: { value: 'http://x' }, port: { value: 80 } },
    scalingGroups: { front: { members: ['server'], properties: {} }, back: { members: [], properties: {} } },
  })
  execution = (await addExecution(db, { deploymentId: 'web-1' })).id
})
afterAll(() => cli.close())

/** The rows of a table, by their first words. */
const firstWords = async (words: readonly string[]) => {
  const { exitCode, errors, written } = await cli.words(words)
  expect({ exitCode, errors }, words.join(' ')).toEqual({ exitCode: 0, errors: '' })
  return written
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ +/)[0])
}

test('nodes, their types and node instances are searched by rules', async () => {
  const here = ['-d', 'web-1']
  expect(await firstWords(['nodes', 'search', ...here])).toEqual(['server', 'page'])
  const rule = ['--attrs-rule', 'type contains Compute']
  expect(await firstWords(['nodes', 'search', ...here, ...rule])).toEqual(['server'])
  expect(await firstWords(['nodes', 'types', ...here, '--search', 'root'])).toEqual(['cloudify.nodes.Root'])
  expect(await firstWords(['node-instances', 'search', '--attrs-rule', 'state!=started'])).toEqual(['page_1'])
  expect(await cli.tutti('nodes search')).toMatchObject({
    exitCode: 2,
    errors: expect.stringContaining('Say which: -d DEPLOYMENT or -b BLUEPRINT'),
  })
  expect((await cli.tutti('nodes search -d web-1 -b web')).exitCode).toBe(2)
  expect((await cli.tutti('nodes search -d web-1 --labels-rule a=b')).exitCode).toBe(2)
})

test('scaling groups and capabilities are found by their names', async () => {
  expect(await firstWords(['scaling-groups', 'search', '-d', 'web-1', '--name', 'fro'])).toEqual(['front'])
  expect((await cli.tutti('scaling-groups search -b web')).written).toBe('No scaling groups.\n')
  expect((await cli.tutti('capabilities search -d web-1')).written).toMatch(/web-1 +web +url, port/)
  expect((await cli.tutti('capabilities search -d web-1 --name ur --json')).json.items).toMatchObject([
    { deployment_id: 'web-1', capabilities: { url: { value: 'http://x' } } },
  ])
})

test('workflows of what rules find', async () => {
  expect((await cli.tutti('workflows search --attrs-rule id=nothing')).written).toBe('No workflows.\n')
  expect((await cli.tutti('workflows search --filter-id csys-service-filter --common')).exitCode).toBe(0)
  expect((await cli.tutti('workflows search --filter-id nothing')).exitCode).toBe(1)
})

test('the stored graphs and operations of an execution', async () => {
  const body = {
    execution_id: execution,
    name: 'install',
    operations: [
      { id: 'o1', name: 'create', type: 'RemoteWorkflowTask', dependencies: [], parameters: {} },
      { id: 'o2', name: 'wait', type: 'NOPLocalWorkflowTask', dependencies: ['o1'], parameters: {} },
    ],
  }
  const { body: graph } = await cli.manager.inject('POST', '/tasks_graphs', { body })
  expect(await firstWords(['executions', 'graphs', '-e', execution, '--name', 'install'])).toEqual([graph.id])
  expect((await firstWords(['executions', 'operations', '-e', execution])).sort()).toEqual(['o1', 'o2'])
  expect(await firstWords(['executions', 'operations', '--graph-id', graph.id, '--skip-internal'])).toEqual([
    'o1',
  ])
  expect((await cli.tutti(`executions operations -e ${execution} --state failed`)).written).toBe(
    'No operations.\n',
  )
  expect((await cli.tutti('executions graphs')).exitCode).toBe(2)
})

test('the provider context is set once, and replaced when asked', async () => {
  const line = 'provider-context set cloud -c region=eu'
  expect(await cli.tutti(line)).toMatchObject({ exitCode: 0, written: 'The provider context is cloud\n' })
  expect((await cli.tutti('provider-context get')).written).toBe('name     cloud\ncontext  {"region":"eu"}\n')
  expect((await cli.tutti(line)).exitCode).toBe(1)
  expect((await cli.tutti('provider-context set other --update')).exitCode).toBe(0)
  expect((await cli.tutti('provider-context get --json')).json).toMatchObject({ name: 'other', context: {} })
})

test('a blueprint is given to another user', async () => {
  await cli.manager.inject('PUT', '/users', { body: { username: 'alice', password: 'password of alice' } })
  expect(await cli.tutti('blueprints set-owner web -s alice')).toMatchObject({
    exitCode: 0,
    written: 'Blueprint web belongs to alice\n',
  })
  expect((await cli.tutti('blueprints get web --json')).json).toMatchObject({ created_by: 'alice' })
})
