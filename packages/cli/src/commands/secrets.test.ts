import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RealCli, startRealCli } from '../../test/real-cli.ts'

let cli: RealCli
beforeAll(async () => {
  cli = await startRealCli()
})
afterAll(() => cli.close())

const value = async (key: string) => (await cli.tutti(`secrets get ${key} --value`)).written

test('a secret is created from the terminal, standard input, a file or the command line', async () => {
  const askSecret = async () => 'typed'
  expect(await cli.tutti('secrets create typed', { askSecret })).toMatchObject({
    exitCode: 0,
    written: 'Secret typed is created\n',
  })
  expect((await cli.tutti('secrets create piped --secret-stdin', { input: 'from a pipe\n' })).exitCode).toBe(
    0,
  )
  const key = '-----BEGIN KEY-----\nabc\n-----END KEY-----\n'
  await writeFile(join(cli.folder, 'key.pem'), key)
  expect((await cli.tutti('secrets create filed -f key.pem')).exitCode).toBe(0)
  expect((await cli.tutti('secrets create given -s seen')).exitCode).toBe(0)
  expect(await value('typed')).toBe('typed\n')
  expect(await value('piped')).toBe('from a pipe\n')
  expect(await value('filed')).toBe(key)
  expect(await value('given')).toBe('seen\n')
  expect(await cli.tutti('secrets create two -s a --secret-stdin')).toMatchObject({
    exitCode: 2,
    errors: expect.stringContaining('cannot be used with'),
  })
  expect((await cli.tutti('secrets create given -s other')).exitCode).toBe(1)
  expect((await cli.tutti('secrets create given -s other -u')).exitCode).toBe(0)
  expect(await value('given')).toBe('other\n')
})

test('a value is printed only when it is asked for', async () => {
  await cli.tutti('secrets create quiet -s hush')
  for (const line of [
    'secrets get quiet',
    'secrets get quiet --json',
    'secrets list',
    'secrets list --json',
    'secrets update quiet -s hush --json',
    'secrets set-visibility quiet -l global --json',
  ]) {
    const { exitCode, written } = await cli.tutti(line)
    expect(exitCode, line).toBe(0)
    expect(written, line).toContain('quiet')
    expect(written, line).not.toMatch(/hush|"value"/)
  }
  expect((await cli.tutti('secrets get quiet --value --json')).json).toMatchObject({ value: 'hush' })
})

test('a secret is changed: its value, or only who may read it', async () => {
  await cli.tutti('secrets create plan -s one')
  expect((await cli.tutti('secrets update plan', { askSecret: async () => 'two' })).exitCode).toBe(0)
  expect(await value('plan')).toBe('two\n')
  expect((await cli.tutti('secrets update plan --hidden-value --json')).json).toMatchObject({
    is_hidden_value: true,
  })
  expect((await cli.tutti('secrets update plan --not-hidden-value --json')).json).toMatchObject({
    is_hidden_value: false,
  })
  expect(await value('plan')).toBe('two\n')
  expect((await cli.tutti('secrets delete plan')).exitCode).toBe(0)
  expect((await cli.tutti('secrets get plan')).errors).toContain('See what there is: tutti secrets list')
})

test('secrets are listed by where they are kept', async () => {
  await cli.tutti('secrets-providers create here -t local')
  expect(await cli.tutti('secrets create lodged -s one --provider here')).toMatchObject({ exitCode: 0 })
  expect((await cli.tutti('secrets list --provider here --json')).json.items).toMatchObject([
    { key: 'lodged', provider_name: 'here' },
  ])
  expect((await cli.tutti('secrets list --provider nowhere')).written).toBe('No secrets.\n')
})

test('a value that fits a schema is what its JSON means', async () => {
  const schema = '{"type":"object","required":["port"]}'
  expect(
    await cli.words(['secrets', 'create', 'shaped', '-s', '{"port":1}', '--schema', schema]),
  ).toMatchObject({ exitCode: 0, errors: '' })
  expect(await value('shaped')).toBe('{"port":1}\n')
  expect(await cli.words(['secrets', 'create', 'bent', '-s', '{}', '--schema', schema])).toMatchObject({
    exitCode: 1,
    errors: expect.stringContaining('Error validating secret value'),
  })
})

test('secrets go from one tenant to another through a file that only its owner may read', async () => {
  await cli.tutti('tenants create copies')
  const phrase = { input: 'a long passphrase\n' }
  expect(
    await cli.tutti('secrets export -o out.json --search given --passphrase-stdin', phrase),
  ).toMatchObject({
    exitCode: 0,
    errors: '',
  })
  const file = join(cli.folder, 'out.json')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readFile(file, 'utf8')).not.toContain('other')
  const line = 'secrets import -i out.json -m default_tenant=copies'
  const imported = await cli.tutti(`${line} --passphrase-stdin`, phrase)
  expect(imported).toMatchObject({ exitCode: 0, written: '1 of 1 secrets are read\n' })
  expect((await cli.tutti('secrets get given --value --tenant copies')).written).toBe('other\n')
  expect((await cli.tutti(`${line} --passphrase-stdin`, phrase)).written).toContain(
    'copies: given existed and are as they were',
  )
  expect(await cli.tutti(`${line} --override -p wrong-passphrase`)).toMatchObject({
    exitCode: 1,
    written: expect.stringMatching(/ entry 0 is not imported: The passphrase is not [^{}]+$/),
  })
  expect(await cli.tutti('secrets export -o short.json -p short')).toMatchObject({ exitCode: 2 })
})

test('secrets providers keep their connection parameters to themselves', async () => {
  await writeFile(join(cli.folder, 'vault.yaml'), 'url: http://127.0.0.1:1\ntoken: s3cr3t\npath: secret\n')
  expect(await cli.tutti('secrets-providers create vault -t vault -c vault.yaml')).toMatchObject({
    exitCode: 0,
    errors: '',
  })
  for (const line of [
    'list',
    'list --json',
    'get vault',
    'get vault --json',
    'update vault -l global --json',
  ]) {
    const { exitCode, written } = await cli.tutti(`secrets-providers ${line}`)
    expect(exitCode, line).toBe(0)
    expect(written, line).not.toContain('s3cr3t')
  }
  expect((await cli.tutti('secrets-providers get vault --show-parameters')).written).toContain('s3cr3t')
  expect((await cli.tutti('secrets-providers test vault')).exitCode).toBe(1)
  expect((await cli.tutti('secrets-providers delete vault')).exitCode).toBe(0)
})
