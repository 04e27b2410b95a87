import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RealCli, startRealCli } from '../../test/real-cli.ts'

let cli: RealCli
beforeAll(async () => {
  cli = await startRealCli()
  await mkdir(join(cli.folder, 'bp'))
  const blueprint = 'tosca_definitions_version: cloudify_dsl_1_5\nimports: [cloudify/types/types.yaml]\n'
  await writeFile(join(cli.folder, 'bp', 'blueprint.yaml'), blueprint)
})
afterAll(() => cli.close())

test('a stored filter is made of rules, changed, used and deleted', async () => {
  const created = await cli.words([
    ...['deployments', 'filters', 'create', 'production'],
    ...['--labels-rule', 'env=[prod,live]', '--attrs-rule', 'blueprint_id starts-with web'],
  ])
  expect(created).toMatchObject({ exitCode: 0, errors: '' })
  expect((await cli.tutti('deployments filters list')).written).toMatch(
    /production +blueprint_id starts with web; env any of prod, live|production +env any of prod, live; blueprint_id starts with web/,
  )
  await writeFile(
    join(cli.folder, 'rules.yaml'),
    '- {type: label, key: env, operator: is_null, values: []}\n',
  )
  expect((await cli.tutti('deployments filters update production --filter-rules rules.yaml')).exitCode).toBe(
    0,
  )
  expect((await cli.tutti('deployments filters get production')).written).toContain('env is null')
  expect((await cli.tutti('deployments search --filter-id production')).written).toBe('No deployments.\n')
  expect((await cli.tutti('deployments search --filter-id nothing')).exitCode).toBe(1)
  expect((await cli.tutti('deployments filters delete production')).exitCode).toBe(0)
  expect((await cli.tutti('blueprints filters create empty')).exitCode).toBe(2)
})

test('deployments can be asked what they depend on', async () => {
  expect(await cli.tutti('deployments dependencies list --source web --size 5')).toMatchObject({
    exitCode: 0,
    written: 'No dependencies.\n',
  })
})

test('a deployment group is created, changed, listed and deleted', async () => {
  expect(
    await cli.tutti('deployment-groups create shops --description all --label tier=front'),
  ).toMatchObject({
    exitCode: 0,
    written: 'Group shops has 0 deployments\n',
  })
  expect((await cli.tutti('deployment-groups update shops --label tier=back')).errors).toBe('')
  expect((await cli.tutti('deployment-groups get shops')).written).toContain('labels       tier=back')
  expect((await cli.tutti('deployment-groups list')).written).toMatch(/shops +0 +tier=back +all/)
  expect((await cli.tutti('deployment-groups extend shops -d nobody')).exitCode).toBe(1)
  expect((await cli.tutti('execution-groups start install -g nobody')).exitCode).toBe(1)
  expect((await cli.tutti('execution-groups list')).written).toBe('No execution groups.\n')
  expect((await cli.tutti('deployment-groups delete shops')).written).toBe('Group shops is deleted\n')
})
