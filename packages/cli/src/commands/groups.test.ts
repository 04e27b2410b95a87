import type { DeploymentGroup, ExecutionGroup } from '@tutti/api'
import { type ContractHandlers, sampleList } from '@tutti/client/testing'
import { afterEach, expect, test } from 'vitest'
import { type Cli, startCli } from '../../test/cli.ts'

const opened: Cli[] = []
afterEach(async () => {
  for (const cli of opened.splice(0)) await cli.close()
})

const owner = {
  created_at: '2026-11-21T10:00:00.000Z',
  created_by: 'admin',
  tenant_name: 'default_tenant',
  visibility: 'tenant',
  resource_availability: 'tenant',
  private_resource: false,
}

const shops: DeploymentGroup = {
  id: 'shops',
  description: null,
  default_blueprint_id: 'shop',
  default_inputs: { region: 'eu' },
  deployment_ids: ['london', 'paris'],
  labels: [],
  creation_counter: 2,
  ...owner,
}

const running: ExecutionGroup = {
  id: 'x1',
  deployment_group_id: 'shops',
  workflow_id: 'install',
  concurrency: 5,
  success_group_id: null,
  failure_group_id: null,
  status: 'started',
  execution_ids: ['e1', 'e2'],
  ...owner,
}

/** A manager that remembers the bodies it is sent. */
async function manager(over: ContractHandlers = {}) {
  const bodies: unknown[] = []
  const group = ({ body }: { readonly body: unknown }) => {
    bodies.push(body)
    return shops
  }
  const cli = await startCli({
    'deploymentGroups.list': () => sampleList([shops]),
    'deploymentGroups.get': () => shops,
    'deploymentGroups.put': group,
    'deploymentGroups.update': group,
    'executionGroups.start': ({ body }) => {
      bodies.push(body)
      return running
    },
    'executionGroups.act': ({ body }) => {
      bodies.push(body)
      return running
    },
    ...over,
  })
  opened.push(cli)
  return { ...cli, bodies, run: (line: string) => cli.tutti(...line.split(' ')) }
}

test('labels of a group are read, changed and sent whole', async () => {
  const { run, bodies, environment } = await manager()
  expect(await run('deployment-groups labels list shops')).toBe(0)
  expect(environment.written()).toContain('shops has no labels.\n')
  expect(await run('deployment-groups labels add shops tier=front env=prod')).toBe(0)
  expect(bodies).toEqual([{ labels: [{ tier: 'front' }, { env: 'prod' }] }])
})

test('a workflow that no deployment of a group has is not said to run', async () => {
  const { run, environment } = await manager({
    'executionGroups.start': () => ({ ...running, execution_ids: [] }),
  })
  expect(await run('execution-groups start installl -g shops')).toBe(0)
  expect(environment.written()).toBe('No deployment of the group has the workflow installl: nothing runs\n')
})

test('a group is made of deployments that there are, of new ones, or of what rules find', async () => {
  const { run, bodies, environment } = await manager()
  expect(await run('deployment-groups create shops -d london -d paris --label tier=front')).toBe(0)
  expect(await run('deployment-groups create shops -b shop --count 2 -i region=eu')).toBe(0)
  expect(await run('deployment-groups extend shops --from-group old --labels-rule env=prod')).toBe(0)
  expect(await run('deployment-groups shrink shops -d rome')).toBe(0)
  const nobody = {
    deployment_ids: null,
    deployments_from_group: null,
    filter_id: null,
    filter_rules: null,
  }
  const rule = { type: 'label', key: 'env', operator: 'any_of', values: ['prod'] }
  expect(bodies).toEqual([
    { labels: [{ tier: 'front' }], ...nobody, deployment_ids: ['london', 'paris'], new_deployments: null },
    { blueprint_id: 'shop', default_inputs: { region: 'eu' }, ...nobody, new_deployments: [{}, {}] },
    { add: { ...nobody, deployments_from_group: 'old', filter_rules: [rule], new_deployments: null } },
    { remove: { ...nobody, deployment_ids: ['rome'] } },
  ])
  expect(environment.written()).toContain('Group shops has 2 deployments\n')
  expect(await run('deployment-groups get shops')).toBe(0)
  expect(environment.written()).toContain('members         london, paris\n')
})

test('a workflow runs on a group, is followed to its end, and fails when one of them did', async () => {
  const states = ['queued', 'started', 'started', 'failed']
  const { run, bodies, environment } = await manager({
    'executionGroups.get': () => ({ ...running, status: states.shift() ?? 'failed' }),
  })
  expect(await run('execution-groups start install -g shops -p force=true --concurrency 20')).toBe(0)
  expect(await run('execution-groups cancel x1 --kill')).toBe(0)
  expect(bodies).toEqual([
    {
      workflow_id: 'install',
      deployment_group_id: 'shops',
      default_parameters: { force: true },
      concurrency: 20,
      force: false,
    },
    { action: 'kill' },
  ])
  expect(environment.written()).toContain('Follow it: tutti execution-groups follow x1\n')
  expect(await run('execution-groups follow x1')).toBe(1)
  expect(environment.written()).toMatch(/ is queued\n.* is started\nid .*status +failed/s)
})

test('Ctrl-C stops following, not the executions', async () => {
  const { run, environment } = await manager({
    'executionGroups.get': () => {
      environment.interrupt()
      return running
    },
  })
  expect(await run('execution-groups follow x1')).toBe(1)
  expect(environment.errors()).toContain('  cancel: tutti execution-groups cancel x1\n')
})
