import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RealCli, startRealCli } from '../../test/real-cli.ts'

let cli: RealCli
beforeAll(async () => {
  cli = await startRealCli()
})
afterAll(() => cli.close())

test('version says both, the program’s and the manager’s', async () => {
  const { json } = await cli.tutti('version --json')
  expect(json).toMatchObject({ client: { version: '0.1.0' }, manager: { url: cli.url, edition: 'premium' } })
})

test('settings of the manager are listed, shown and changed', async () => {
  expect((await cli.tutti('config list --scope workflow')).written).toMatch(/task_retries +60 +workflow +yes/)
  expect((await cli.tutti('config update task_retries=5 workflow.subgraph_retries=1')).exitCode).toBe(0)
  expect((await cli.tutti('config get task_retries --json')).json).toMatchObject({ value: 5 })
  expect((await cli.tutti('config get no_such_setting')).exitCode).toBe(1)
  expect((await cli.tutti('config update')).exitCode).toBe(2)
})

test('maintenance mode is entered, waited for, seen and left, also twice', async () => {
  const active = await cli.tutti('maintenance-mode activate --wait')
  expect(active).toMatchObject({
    exitCode: 0,
    written: expect.stringContaining('Maintenance mode is active.'),
  })
  expect((await cli.tutti('maintenance activate')).exitCode).toBe(0)
  expect((await cli.tutti('maintenance-mode status --json')).json).toMatchObject({ status: 'activated' })
  expect(await cli.tutti('blueprints list')).toMatchObject({
    exitCode: 1,
    errors: expect.stringContaining('maintenance mode'),
  })
  expect((await cli.tutti('maintenance-mode deactivate')).exitCode).toBe(0)
  expect((await cli.tutti('maintenance-mode deactivate')).exitCode).toBe(0)
  expect((await cli.tutti('blueprints list')).exitCode).toBe(0)
})

test('the cluster shows its parts', async () => {
  expect((await cli.tutti('cluster status')).written).toMatch(/^cluster /)
  expect((await cli.tutti('cluster managers list')).exitCode).toBe(0)
  expect((await cli.tutti('cluster brokers list')).exitCode).toBe(0)
  expect((await cli.tutti('cluster brokers add rabbit-1 10.0.0.5 --port 5671')).exitCode).toBe(0)
  expect((await cli.tutti('cluster brokers list')).written).toMatch(/rabbit-1 +10.0.0.5 +5671/)
  expect((await cli.tutti('cluster brokers remove rabbit-1')).exitCode).toBe(0)
  expect((await cli.tutti('cluster db-nodes update')).written).toMatch(/^There are \d+: /)
})

test('a license is uploaded, shown and removed, although none is needed', async () => {
  expect((await cli.tutti('license list')).written).toMatch(/nobody +premium/)
  const license = `license:
  customer_id: me
  license_edition: premium
  trial: false
  cloudify_version: null
  capabilities: [HA]
  expiration_date: 12/31/2099
signature: !!binary ${Buffer.alloc(256).toString('base64')}
`
  await writeFile(join(cli.folder, 'license.yaml'), license)
  expect((await cli.tutti('license upload nowhere.yaml')).exitCode).toBe(2)
  expect(await cli.tutti('license upload license.yaml')).toMatchObject({ exitCode: 0, errors: '' })
  expect((await cli.tutti('license list')).written).toMatch(/me +premium/)
  expect((await cli.tutti('license remove')).exitCode).toBe(0)
})

test('sites are created, changed and deleted', async () => {
  const created = await cli.words(['sites', 'create', 'london', '--location', '51.5, -0.13'])
  expect(created).toMatchObject({ exitCode: 0, written: 'Site london is created\n', errors: '' })
  expect((await cli.tutti('sites update london --new-name paris --location 48.9,2.4')).written).toBe(
    'Site paris is changed\n',
  )
  expect((await cli.tutti('sites get paris')).written).toContain('location    48.9, 2.4')
  expect((await cli.tutti('sites list --all-tenants --search par')).written).toContain('paris')
  expect((await cli.tutti('sites delete paris')).exitCode).toBe(0)
  expect((await cli.tutti('sites list')).written).toBe('No sites.\n')
})

test('the audit log tells who changed what, is followed until Ctrl-C, and is cut', async () => {
  await cli.tutti('tenants create audited')
  expect((await cli.tutti('audit-log list --desc --size 1')).written).toMatch(
    /TIME +WHO +FROM +OPERATION +OF +WHAT\n.* admin +127.0.0.1 +create +tenants +.*audited/,
  )
  expect((await cli.tutti('audit-log list -c nobody')).written).toBe('No records.\n')
  expect((await cli.tutti('audit-log list --since 2026-01-01 --before 2026-01-01')).exitCode).toBe(2)
  const { written } = await cli.interrupted('audit-log stream --since 2020-01-01', 'audited')
  expect(written).toMatch(/ {2}admin {2}127.0.0.1 {2}create {2}tenants {2}.*audited/)
  expect((await cli.tutti('audit-log truncate')).exitCode).toBe(2)
  expect((await cli.tutti('audit-log truncate --before 2100-01-01')).written).toMatch(
    /^\d+ records are deleted/,
  )
  expect((await cli.tutti('agents list --all-states')).written).toBe('No agents.\n')
})

test('a directory is set up with the password of its reader, and one that is away changes nothing', async () => {
  expect(await cli.tutti('ldap status')).toMatchObject({ exitCode: 0, written: 'LDAP is disabled\n' })
  const line = 'ldap set -s ldap://127.0.0.1:1 -d example.org -u reader'
  expect(await cli.tutti(line)).toMatchObject({
    exitCode: 2,
    errors: expect.stringContaining('--password-stdin'),
  })
  expect((await cli.tutti(line, { askSecret: async () => 'secret' })).exitCode).toBe(1)
  expect((await cli.tutti('ldap status --json')).json).toBe('disabled')
  expect(await cli.tutti('ldap set -s ldap://127.0.0.1:1 -d example.org')).toMatchObject({
    exitCode: 0,
    written: expect.stringContaining('domain         example.org'),
  })
  expect((await cli.tutti('ldap remove')).exitCode).toBe(0)
  expect((await cli.tutti('ldap status')).written).toBe('LDAP is disabled\n')
})
