import { sampleDeployment, sampleEvent, sampleExecution, sampleList } from '@tutti/client/testing'
import { expect, test } from 'vitest'
import { startCli } from '../../test/cli.ts'

/** What starts when that is said. */
async function started(...line: readonly string[]) {
  const bodies: unknown[] = []
  const cli = await startCli({
    'deployments.get': () => sampleDeployment(),
    'executions.start': ({ body }) => {
      bodies.push(body)
      return sampleExecution({ status: 'pending' })
    },
    'executions.get': ({ params }) => sampleExecution({ id: params.execution_id ?? '' }),
    'events.list': () => sampleList([sampleEvent(1)]),
  })
  try {
    const code = await cli.tutti('deployments', ...line)
    return { code, body: bodies[0], written: cli.environment.written() }
  } finally {
    await cli.close()
  }
}

test.each<[readonly string[], string, object]>([
  [['scale', 'web', '-e', 'vm'], 'scale', { scalable_entity_name: 'vm' }],
  [
    ['scale', 'web', '-e', 'vm', '--delta=-2', '--include', 'a', '--include', 'b', '--keep-failed'],
    'scale',
    {
      scalable_entity_name: 'vm',
      delta: '-2',
      include_instances: ['a', 'b'],
      rollback_if_failed: false,
    },
  ],
  [['heal', 'web', '--node-instance-id', 'a'], 'heal', { node_instance_id: 'a' }],
  [
    ['heal', 'web', '--skip-check', '--never-reinstall'],
    'heal',
    { check_status: false, allow_reinstall: false },
  ],
  [['restart', 'web', '--node-id', 'vm'], 'restart', { node_ids: ['vm'] }],
  [['check-status', 'web'], 'check_status', {}],
  [['check-drift', 'web', '--type-name', 't'], 'check_drift', { type_names: ['t'] }],
  [['reinstall', 'web', '--ignore-failure'], 'reinstall', { ignore_failure: true }],
  [['rollback', 'web', '--full'], 'rollback', { full_rollback: true }],
  [['pull', 'web', '-p', 'run_by_dependency_order=false'], 'pull', { run_by_dependency_order: false }],
])('tutti deployments %j', async (line, workflow_id, parameters) => {
  const { code, body, written } = await started(...line)
  expect(body).toMatchObject({ deployment_id: 'web', workflow_id, parameters })
  expect(Object.keys((body as { parameters: object }).parameters)).toEqual(Object.keys(parameters))
  expect([code, written]).toEqual([0, expect.stringContaining('succeeded')])
})

test('verify says what disagrees, and ends with 1 when something does', async () => {
  const cli = await startCli({
    'deployments.verify': ({ params }) => ({
      deployment_id: params.deployment_id ?? '',
      problems: params.deployment_id === 'well' ? [] : ['vm_1 is one too many'],
    }),
  })
  try {
    expect(await cli.tutti('deployments', 'verify', 'well')).toBe(0)
    expect(await cli.tutti('deployments', 'verify', 'ill')).toBe(1)
    expect(cli.environment.written()).toBe('All of well agrees.\nvm_1 is one too many\n')
  } finally {
    await cli.close()
  }
})
