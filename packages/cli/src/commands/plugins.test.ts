import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  archiveNameOf,
  caravanOf,
  pluginYaml,
  pluginZip,
  wagonOf,
} from '../../../manager/test/plugin-archives.ts'
import { type RealCli, startRealCli } from '../../test/real-cli.ts'

let cli: RealCli
beforeAll(async () => {
  cli = await startRealCli()
  const files = {
    'a.wgn': wagonOf(),
    'plugin.yaml': pluginYaml(),
    'other.yaml': pluginYaml({ name: 'other' }),
    'b.zip': pluginZip({ name: 'b' }),
    'c.tar': caravanOf([{ name: 'b' }, { name: 'c' }]),
    'text.txt': 'text',
  }
  for (const [name, content] of Object.entries(files)) await writeFile(join(cli.folder, name), content)
})
afterAll(() => cli.close())

test('a wagon and its YAML file are sent as one, shown, downloaded and deleted', async () => {
  const uploaded = await cli.tutti('plugins upload a.wgn -y plugin.yaml -t Title -l tenant --json')
  expect(uploaded).toMatchObject({ exitCode: 0, json: { title: 'Title', package_name: 'test-plugin' } })
  const { id } = uploaded.json
  const shown = await cli.tutti(`plugins get ${id}`)
  expect(shown.written).toContain('plugin:test-plugin?version=1.0')
  expect((await cli.tutti('plugins list --search test')).written).toContain('test-plugin')
  expect(await cli.tutti(`plugins download ${id}`)).toMatchObject({ exitCode: 0 })
  expect((await readFile(join(cli.folder, archiveNameOf()))).equals(wagonOf())).toBe(true)
  expect((await cli.tutti(`plugins download ${id} --full -o full.zip`)).exitCode).toBe(0)
  expect((await cli.tutti('plugins validate full.zip')).written).toContain('1 wheels, plugin.yaml')
  expect((await cli.tutti(`plugins download ${id} -o full.zip`)).exitCode).toBe(1)
  expect((await cli.tutti(`plugins set-visibility ${id} -l global`)).written).toContain('global')
  expect((await cli.tutti(`plugins delete ${id}`)).written).toBe(`Plugin ${id} is deleted\n`)
})

test('a zip, and a caravan of which a part is here already', async () => {
  expect((await cli.tutti('plugins upload b.zip')).written).toMatch(
    /Plugin b 1\.0 is uploaded as .*Import it with/,
  )
  const rest = await cli.tutti('plugins upload c.tar')
  expect(rest.written).toContain('Plugin c 1.0')
  expect(rest.written).not.toContain('Plugin b')
  expect((await cli.tutti('plugins upload c.tar')).written).toContain('here already')
  expect(await cli.tutti('plugins upload b.zip')).toMatchObject({ exitCode: 1 })
})

test('what is wrong with a file is said without a manager', async () => {
  const nowhere = { variables: { TUTTI_URL: 'http://127.0.0.1:1' } }
  expect(await cli.tutti('plugins validate a.wgn', nowhere)).toMatchObject({
    exitCode: 0,
    written: 'a.wgn is valid\ntest-plugin 1.0: 1 wheels, no YAML files\n',
  })
  for (const [line, why] of [
    ['a.wgn -y other.yaml', 'other.yaml declares other'],
    ['text.txt', 'input can be only a wagon or a zip file.'],
  ]) {
    expect(await cli.tutti(`plugins validate ${line}`, nowhere), line).toMatchObject({
      exitCode: 1,
      errors: expect.stringContaining(why ?? ''),
    })
  }
  expect(await cli.tutti('plugins validate none.wgn', nowhere)).toMatchObject({
    exitCode: 2,
    errors: expect.stringContaining('There is no file'),
  })
})

test('an installation is followed to its end', async () => {
  const { id } = (await cli.tutti('plugins list --json')).json.items[0]
  expect(await cli.tutti(`plugins install ${id} -m none`)).toMatchObject({ exitCode: 1 })
  const { db } = cli.manager
  await db
    .insertInto('processes')
    .values({
      id: 'w',
      hostname: 'here',
      address: '10.0.0.1',
      version: '1',
      roles: ['worker'],
      last_seen: new Date('2100-01-01'),
    })
    .execute()
  expect((await cli.tutti(`plugins install ${id}`)).written).toContain('here pending-install')
  const asWorker = (state: 'installing' | 'installed' | 'error', more: object = {}) =>
    db
      .updateTable('plugin_states')
      .set({ state, ...more })
      .where('plugin_id', '=', id)
      .execute()
  const ends = [
    { state: 'installed', code: 0, said: 'is installed: here installed' },
    { state: 'error', code: 1, said: 'is not installed everywhere: here error (no space)' },
  ] as const
  for (const { state, code, said } of ends) {
    const progress = { progress: JSON.stringify({ done: 1, total: 2, message: 'x.whl' }) }
    const wait = async () => {
      const [row] = await db.selectFrom('plugin_states').select('state').where('plugin_id', '=', id).execute()
      if (row?.state === 'pending-install') await asWorker('installing', progress)
      else await asWorker(state, { progress: null, error: state === 'error' ? 'no space' : null })
    }
    const followed = await cli.tutti(`plugins install ${id} --follow`, { wait })
    expect(followed.exitCode, followed.errors).toBe(code)
    const all = followed.written + followed.errors
    expect(all).toContain('here: pending-install')
    expect(all).toContain('here: installing 1/2 x.whl')
    expect(all).toContain(said)
  }
})
