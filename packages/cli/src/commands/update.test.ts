import type { DeploymentUpdate, RouteItem } from '@tutti/api'
import { type ContractHandlers, sampleExecution, sampleList } from '@tutti/client/testing'
import { afterEach, expect, test } from 'vitest'
import { type Cli, startCli } from '../../test/cli.ts'

const opened: Cli[] = []
afterEach(async () => {
  for (const cli of opened.splice(0)) await cli.close()
})

const step = (action: string, entity_type: string, ...entity_id: readonly string[]) => ({
  id: entity_id.join(),
  action,
  entity_type,
  entity_id: [...entity_id],
  topology_order: 0,
})
const update = (over: Partial<DeploymentUpdate> = {}): DeploymentUpdate => ({
  id: 'web-1-u',
  deployment_id: 'web-1',
  state: 'successful',
  preview: true,
  old_blueprint_id: 'web',
  new_blueprint_id: 'web-2',
  old_inputs: { size: 1, port: 80 },
  new_inputs: { size: 2, port: 80 },
  runtime_only_evaluation: false,
  execution_id: 'e',
  steps: [
    step('remove', 'node', 'nodes', 'old'),
    step('add', 'node', 'nodes', 'fresh'),
    step('modify', 'property', 'nodes', 'db', 'properties', 'size'),
    step('add', 'operation', 'nodes', 'db', 'operations', 'update'),
    step('add', 'operation', 'nodes', 'db', 'operations', 'cloudify.interfaces.lifecycle.update'),
    step('modify', 'output', 'outputs', 'o'),
  ],
  deployment_plan: { nodes: [{ id: 'db', properties: { size: 2 } }] },
  deployment_update_deployment: {},
  deployment_update_nodes: {
    add: ['fresh'],
    remove: ['old'],
    modify_attributes: { db: ['properties', 'operations'] },
  },
  deployment_update_node_instances: {
    added_and_related: [
      { id: 'fresh_1', node_id: 'fresh', modification: 'added' },
      { id: 'db_1', node_id: 'db' },
    ],
    removed_and_related: [{ id: 'old_1', node_id: 'old', modification: 'removed' }],
  },
  modified_entity_ids: {},
  central_plugins_to_install: [],
  central_plugins_to_uninstall: [],
  recursive_dependencies: [{ deployment: 'shop', target: 'web-1' }],
  schedules_to_create: null,
  schedules_to_delete: null,
  labels_to_create: [{ key: 'team', value: 'blue' }],
  instance_changes: [
    { id: 'db_1', node_id: 'db', change: 'update', because: 'changed' },
    { id: 'app_1', node_id: 'app', change: 'reinstall', because: 'contained' },
  ],
  created_at: '2026-11-21T10:00:00.000Z',
  created_by: 'admin',
  tenant_name: 'default_tenant',
  visibility: 'tenant',
  resource_availability: 'tenant',
  private_resource: false,
  ...over,
})

/** Only what was asked to be included. */
const db = { id: 'db', properties: { size: 1 } } as unknown as RouteItem<'nodes.list'>

async function cliOf(handlers: ContractHandlers, answer = update()) {
  const bodies: unknown[] = []
  const cli = await startCli({
    'deploymentUpdates.initiate': ({ body }) => {
      bodies.push(body)
      return answer
    },
    'nodes.list': () => sampleList([db]),
    'executions.get': () => sampleExecution({ id: 'e', workflow_id: 'update' }),
    'events.list': () => sampleList([]),
    ...handlers,
  })
  opened.push(cli)
  return { ...cli, bodies }
}

test('a preview is a tree of what comes, goes, changes and is done again', async () => {
  const { tutti, environment, bodies } = await cliOf({})
  expect(await tutti('deployments', 'update', 'web-1', '-b', 'web-2', '-i', 'size=2', '--preview')).toBe(0)
  expect(bodies).toEqual([{ blueprint_id: 'web-2', preview: true, reinstall_list: [], inputs: { size: 2 } }])
  expect(environment.written()).toBe(`~ blueprint web → web-2
~ input size: 1 → 2
~ output o
− node old
  − instance old_1
+ node fresh
  + instance fresh_1
~ node db
  ~ property size: 1 → 2
  + operation update
  ↻ instance db_1 is updated: its node has changed
~ node app
  ↻ instance app_1 is reinstalled: what contains it is reinstalled
+ label team:blue
These deployments may be affected:
  shop depends on web-1
`)
})

test('a preview without differences says so, and one that fails says why', async () => {
  const none = update({
    new_blueprint_id: 'web',
    new_inputs: { size: 1, port: 80 },
    steps: [],
    deployment_update_nodes: { add: [], remove: [], modify_attributes: {} },
    deployment_update_node_instances: {},
    instance_changes: [],
    labels_to_create: [],
    recursive_dependencies: [],
  })
  const same = await cliOf({}, none)
  expect(await same.tutti('deployments', 'update', 'web-1', '--preview')).toBe(0)
  expect(same.environment.written()).toBe('Nothing changes.\n')
  const failing = await cliOf(
    { 'executions.get': () => sampleExecution({ status: 'failed', error: 'unsupported steps found' }) },
    update({ state: 'failed' }),
  )
  expect(await failing.tutti('deployments', 'update', 'web-1', '--preview')).toBe(1)
  expect(failing.environment.errors()).toContain('web-1 cannot be updated: unsupported steps found')
})

test('an update is followed to its end, with the flags that were given', async () => {
  const { tutti, environment, bodies } = await cliOf({}, update({ state: 'updating', preview: false }))
  const flags = ['--skip-reinstall', '--force', '-r', 'db_1']
  expect(await tutti('deployments', 'update', 'web-1', ...flags)).toBe(0)
  expect(bodies).toEqual([{ preview: false, reinstall_list: ['db_1'], skip_reinstall: true, force: true }])
  expect(environment.written()).toContain('update of web succeeded')
})
