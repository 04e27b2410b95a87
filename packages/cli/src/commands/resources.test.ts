import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError, notFound } from '@tutti/api'
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

async function cliOf(handlers: ContractHandlers, options?: TestEnvironmentOptions): Promise<Cli> {
  const cli = await startCli(handlers, options)
  opened.push(cli)
  return cli
}

const blueprints: ContractHandlers = {
  'blueprints.list': () => sampleList([sampleBlueprint(), sampleBlueprint({ id: 'db', state: 'invalid' })]),
}

test('a list is a table of plain text in a pipe', async () => {
  const { tutti, environment } = await cliOf(blueprints)
  expect(await tutti('blueprints', 'list')).toBe(0)
  expect(environment.written()).toBe(
    [
      'ID   STATE     MAIN FILE       LABELS  CREATED AT           CREATED BY',
      'web  uploaded  blueprint.yaml          2026-11-21 10:00:00  admin',
      'db   invalid   blueprint.yaml          2026-11-21 10:00:00  admin',
      '',
    ].join('\n'),
  )
})

test('nothing that others named steers the terminal', async () => {
  const evil = 'a\u001b]0;owned\u0007\u001b[2J\u009b31mb\r\nc'
  const handlers: ContractHandlers = {
    'blueprints.list': () => sampleList([sampleBlueprint({ main_file_name: evil, labels: [] })]),
    'deployments.outputs': () => ({ deployment_id: 'web', outputs: { [evil]: evil } }),
    'sites.list': () => {
      throw notFound('Site', evil)
    },
  }
  for (const isTerminal of [true, false]) {
    for (const json of [[], ['--json']]) {
      const { tutti, environment } = await cliOf(handlers, { isTerminal, variables: { NO_COLOR: '1' } })
      await tutti('blueprints', 'list', ...json)
      await tutti('deployments', 'outputs', 'web', ...json)
      await tutti('sites', 'list', ...json)
      const all = environment.written() + environment.errors()
      expect(all).toContain('b')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what must not get out
      expect(all).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    }
  }
})

test('a terminal has colours, unless NO_COLOR is set', async () => {
  const colourful = await cliOf(blueprints, { isTerminal: true })
  await colourful.tutti('blueprints', 'list')
  expect(colourful.environment.written()).toContain('\u001b[32muploaded')
  const plain = await cliOf(blueprints, { isTerminal: true, variables: { NO_COLOR: '1' } })
  await plain.tutti('blueprints', 'list')
  expect(plain.environment.written()).not.toContain('\u001b[')
})

test('with --json a list is the envelope of the API', async () => {
  const { tutti, environment } = await cliOf(blueprints)
  expect(await tutti('blueprints', 'list', '--json')).toBe(0)
  expect(JSON.parse(environment.written())).toMatchObject({
    items: [{ id: 'web' }, { id: 'db' }],
    metadata: { pagination: { total: 2 } },
  })
})

test('options of a list become the query of the API', async () => {
  const { tutti, server } = await cliOf({ 'deployments.list': () => sampleList([]) })
  await tutti(
    'deployments',
    'list',
    '-b',
    'web',
    '--sort',
    '-created_at',
    '--sort',
    'id',
    '--size',
    '5',
    '--filter',
    'site_name=a',
    '--filter',
    'site_name=b',
    '--all-tenants',
  )
  const query = new URL(server.requests[0]?.split(' ')[1] ?? '', 'http://x').searchParams
  expect([...query]).toEqual([
    ['_size', '5'],
    ['_sort', '-created_at'],
    ['_sort', 'id'],
    ['_all_tenants', 'true'],
    ['site_name', 'a'],
    ['site_name', 'b'],
    ['blueprint_id', 'web'],
  ])
})

test('an error says what, where, why and what to do next', async () => {
  const { tutti, environment } = await cliOf({
    'deployments.get': () => {
      throw notFound('Deployment', 'web')
    },
  })
  expect(await tutti('deployments', 'get', 'web')).toBe(1)
  expect(environment.errors()).toBe(
    [
      'error: Requested `Deployment` with ID `web` was not found',
      '  where: GET /deployments/web (not_found_error, HTTP 404)',
      '  next:  See what there is: tutti deployments list',
      '',
    ].join('\n'),
  )
  expect(environment.written()).toBe('')
})

test.each([
  [
    'a filter of a search',
    'DeploymentsFilter',
    ['deployments', 'search', '--filter-id', 'x'],
    'deployments filters',
  ],
  ['a user of a tenant', 'User', ['tenants', 'add-user', 'x', '-t', 'web'], 'users'],
  ['a group of a tenant', 'Group', ['tenants', 'add-user-group', 'x', '-t', 'web'], 'user-groups'],
  ['a manager', 'Manager', ['cluster', 'managers', 'get', 'x'], 'cluster managers'],
  ['a role', 'Role', ['permissions', 'get', 'x'], 'permissions'],
])('%s that there is not: the list of its kind is what to look at', async (_what, kind, args, noun) => {
  const missing = () => {
    throw notFound(kind, 'x')
  }
  const { tutti, environment } = await cliOf({
    'searches.deployments': missing,
    'tenantUsers.add': missing,
    'tenantGroups.add': missing,
    'managers.get': missing,
    'permissions.get': missing,
  })
  expect(await tutti(...args)).toBe(1)
  expect(environment.errors()).toContain(`next:  See what there is: tutti ${noun} list\n`)
})

test.each([
  ['<User username=`x`> already exists', 'next:  Choose another id, or see what there is: tutti users list'],
  ['User x is already inactive', 'HTTP 409)\n'],
])('the conflict “%s” is told what to do only where that helps', async (message, ending) => {
  const { tutti, environment } = await cliOf({
    'users.setActive': () => {
      throw new ApiError('conflict_error', message)
    },
  })
  expect(await tutti('users', 'deactivate', 'x')).toBe(1)
  expect(environment.errors().trimEnd().endsWith(ending.trimEnd())).toBe(true)
})

test.each([
  ['maintenance_mode_active', 'tutti maintenance-mode deactivate'],
  ['forbidden_error', 'tutti users whoami'],
] as const)('after %s the next command is %s', async (code, command) => {
  const { tutti, environment } = await cliOf({
    'sites.delete': () => {
      throw new ApiError(code, 'refused')
    },
  })
  expect(await tutti('sites', 'delete', 'x')).toBe(1)
  expect(environment.errors()).toContain(command)
})

test('an address that is not that of a manager is told apart from a thing that is not there', async () => {
  const { tutti, environment } = await cliOf({
    'sites.list': () => {
      throw new ApiError('not_found_error', 'There is no endpoint GET /foo/api/v3.1/sites')
    },
  })
  expect(await tutti('sites', 'list')).toBe(1)
  expect(environment.errors()).toContain('Is --url the address of a manager')
})

test('a refused login is tried once, as each counts towards a locked user', async () => {
  const refused = () => {
    throw new ApiError('unauthorized_error', 'User unauthorized')
  }
  const { tutti, server } = await cliOf({ 'version.get': refused, 'status.get': refused })
  expect(await tutti('status')).toBe(1)
  expect(server.requests).toHaveLength(1)
})

test('with --json an error is JSON too', async () => {
  const { tutti, environment } = await cliOf({
    'blueprints.delete': () => {
      throw new ApiError('dependent_exists_error', 'in use', { hint: 'delete its deployments' })
    },
  })
  expect(await tutti('blueprints', 'delete', 'web', '--json')).toBe(1)
  expect(JSON.parse(environment.errors())).toEqual({
    error: {
      message: 'in use',
      where: 'DELETE /blueprints/web',
      code: 'dependent_exists_error, HTTP 400',
      next: 'delete its deployments',
    },
  })
})

test('a blueprint is downloaded into a file of its name', async () => {
  const { tutti, environment } = await cliOf({ 'blueprints.download': () => Buffer.from('bytes') })
  expect(await tutti('blueprints', 'download', 'web')).toBe(0)
  expect(await readFile(join(environment.workingFolder, 'web.tar.gz'), 'utf8')).toBe('bytes')
  expect(await tutti('blueprints', 'download', 'web')).toBe(1)
})

const label = (key: string, value: string) => ({
  key,
  value,
  created_at: '2026-11-21T10:00:00.000Z',
  created_by: 'admin',
})

test('labels are merged, because the API replaces the whole set', async () => {
  const sent: unknown[] = []
  const labels = [label('env', 'test'), label('tier', 'a'), label('tier', 'b')]
  const { tutti, environment } = await cliOf({
    'deployments.get': () => sampleDeployment({ labels }),
    'deployments.update': ({ body }) => {
      sent.push(body)
      return sampleDeployment({ labels: [label('env', 'prod')] })
    },
  })
  expect(await tutti('deployments', 'labels', 'add', 'web', 'env=prod', 'ENV=test')).toBe(0)
  expect(await tutti('deployments', 'labels', 'delete', 'web', 'tier=a', 'ENV')).toBe(0)
  const [env, a, b] = [{ env: 'test' }, { tier: 'a' }, { tier: 'b' }]
  expect(sent).toEqual([{ labels: [env, a, b, { env: 'prod' }] }, { labels: [b] }])
  expect(environment.written()).toContain('env  prod')
})

test('events are printed oldest first, with their causes', async () => {
  const cause = { type: 'NonRecoverableError', message: 'no disk', traceback: null }
  const { tutti, environment, server } = await cliOf({
    'events.list': () =>
      sampleList([
        sampleEvent(2, {
          event_type: 'task_failed',
          message: "Task failed 'x'",
          error_causes: [cause],
          node_instance_id: 'vm_1',
          operation: 'cloudify.interfaces.lifecycle.create',
        }),
        sampleEvent(1, { type: 'svc_log', level: 'info', message: 'hello' }),
      ]),
  })
  expect(await tutti('events', 'list', '-e', 'x', '--tail', '2', '--no-logs')).toBe(0)
  expect(environment.written()).toBe(
    [
      '2026-11-21T10:00:00.000Z [web] INFO: hello',
      "2026-11-21T10:00:00.000Z [vm_1.create] Task failed 'x'",
      '    NonRecoverableError: no disk',
      '',
    ].join('\n'),
  )
  expect(server.requests[0]).toBe(
    'GET /api/v3.1/events?execution_id=x&type=svc_event&_size=2&_sort=-timestamp',
  )
})

test('executions are deleted by count or by time', async () => {
  const bodies: unknown[] = []
  const { tutti, environment } = await cliOf({
    'executions.delete': ({ body }) => {
      bodies.push(body)
      return { items: [{ count: 3 }], metadata: { pagination: { total: 1, offset: 0, size: 1 } } }
    },
  })
  expect(await tutti('executions', 'delete', '--keep-last', '5')).toBe(0)
  expect(await tutti('executions', 'delete', '--before', '2026-11-01')).toBe(0)
  expect(await tutti('executions', 'delete', '--before', '2026-11-01', '--keep-last', '5')).toBe(2)
  expect(bodies).toEqual([{ keep_last: 5 }, { to_datetime: '2026-11-01' }])
  expect(environment.written()).toContain('3 executions are deleted')
})

test('status fails when the manager does not work', async () => {
  const version = {
    edition: 'premium',
    version: '7.1',
    build: null,
    date: null,
    commit: null,
    distribution: null,
    distro_release: null,
  }
  const { tutti, environment } = await cliOf({
    'version.get': () => version,
    'status.get': () => ({
      status: 'Fail',
      services: { PostgreSQL: { status: 'Inactive', is_remote: false, extra_info: {} } },
    }),
  })
  expect(await tutti('status')).toBe(1)
  expect(environment.written()).toContain('Inactive  PostgreSQL')
})

test('cancelling waits for the end and succeeds when it is cancelled', async () => {
  const actions: unknown[] = []
  const { tutti, environment } = await cliOf({
    'executions.act': ({ body }) => {
      actions.push(body)
      return sampleExecution({ status: 'kill_cancelling' })
    },
    'executions.get': () => sampleExecution({ status: 'cancelled' }),
    'events.list': () => sampleList([]),
  })
  expect(await tutti('executions', 'cancel', 'x', '--kill')).toBe(0)
  expect(actions).toEqual([{ action: 'kill' }])
  expect(environment.written()).toContain('Execution x is cancelled')
})

test('a summary counts by one field, or by a second one within the first', async () => {
  const within = [
    { visibility: 'tenant', deployments: 2 },
    { visibility: 'global', deployments: 1 },
  ]
  const { tutti, environment, server } = await cliOf({
    'summaries.deployments': () =>
      sampleList([{ site_name: 'london', deployments: 3, 'by visibility': within }]),
  })
  expect(await tutti('deployments', 'summary', 'site_name')).toBe(0)
  expect(
    await tutti('deployments', 'summary', 'site_name', 'visibility', '--filter', 'blueprint_id=web'),
  ).toBe(0)
  expect(await tutti('deployments', 'summary', 'colour')).toBe(2)
  expect(environment.written()).toBe(
    [
      'SITE NAME  DEPLOYMENTS',
      'london     3',
      'SITE NAME  VISIBILITY  DEPLOYMENTS',
      'london     tenant      2',
      'london     global      1',
      '',
    ].join('\n'),
  )
  expect(server.requests[1]).toBe(
    'GET /api/v3.1/summary/deployments?blueprint_id=web&_target_field=site_name&_sub_field=visibility',
  )
})

test('rules of a search are its body', async () => {
  const bodies: unknown[] = []
  const { tutti, server } = await cliOf({
    'searches.blueprints': ({ body }) => {
      bodies.push(body)
      return sampleList([])
    },
  })
  const rules = ['--labels-rule', 'env=prod', '--filter-id', 'mine']
  expect(await tutti('blueprints', 'search', ...rules, '--size', '5')).toBe(0)
  expect(bodies).toEqual([
    { filter_rules: [{ type: 'label', key: 'env', operator: 'any_of', values: ['prod'] }] },
  ])
  expect(server.requests).toEqual(['POST /api/v3.1/searches/blueprints?_size=5&_filter_id=mine'])
  expect(await tutti('blueprints', 'search', '--labels-rule', 'nonsense')).toBe(2)
})

test('a deployment is put at a site, at none, and under another owner', async () => {
  const bodies: unknown[] = []
  const { tutti, environment, server } = await cliOf({
    'deployments.setSite': ({ body }) => {
      bodies.push(body)
      return sampleDeployment({ site_name: bodies.length === 1 ? 'london' : null })
    },
    'deployments.update': ({ body }) => {
      bodies.push(body)
      return sampleDeployment()
    },
    'workflows.list': () => sampleList([]),
  })
  expect(await tutti('deployments', 'set-site', 'web', '-s', 'london')).toBe(0)
  expect(await tutti('deployments', 'set-site', 'web', '--detach-site')).toBe(0)
  expect(await tutti('deployments', 'set-owner', 'web', '-s', 'alice')).toBe(0)
  expect(bodies).toEqual([{ site_name: 'london' }, { detach_site: true }, { creator: 'alice' }])
  expect(environment.written()).toBe(
    'Deployment web is at london\nDeployment web is at no site\nDeployment web belongs to alice\n',
  )
  expect(await tutti('workflows', 'list', '-d', 'web')).toBe(0)
  expect(server.requests.at(-1)).toBe('GET /api/v3.1/workflows?id=web')
})
