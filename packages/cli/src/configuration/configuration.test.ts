import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type TestEnvironment, testEnvironment } from '../../test/test-environment.ts'
import { run } from '../run.ts'
import { installedParts } from '../serve/installed-parts.ts'
import { configurationDocument } from './document.ts'
import { resolveConfiguration } from './resolve.ts'
import { documentFile } from './write-document.ts'

const opened: TestEnvironment[] = []
afterEach(async () => {
  for (const environment of opened.splice(0)) await environment.remove()
})

async function environmentWith(file?: unknown, variables: Readonly<Record<string, string>> = {}) {
  const environment = await testEnvironment({ variables })
  opened.push(environment)
  const folder = join(environment.home, '.config', 'tutti')
  await mkdir(folder, { recursive: true })
  if (file !== undefined) await writeFile(join(folder, 'config.json'), JSON.stringify(file))
  return environment
}

test('without anything there are defaults, in the types that they mean', async () => {
  const environment = await environmentWith()
  const { configuration } = await resolveConfiguration(environment)
  expect(configuration).toMatchObject({
    dataFolder: join(environment.home, '.tutti'),
    host: '127.0.0.1',
    port: 8080,
    leaseSeconds: 5,
    maxArchiveBytes: 256 * 1024 * 1024,
    allowedHosts: [],
    allowPrivateAddresses: false,
    allowPrivateLdap: false,
    allowPrivateSecretsProviders: false,
    databaseUrl: undefined,
  })
})

test('user ids of operations are a range that no user of the machine is in', async () => {
  const of = async (text: string) =>
    (await resolveConfiguration(await environmentWith(), { operationUsers: text })).configuration
      .operationUsers
  expect(await of('200000-265535')).toEqual({ first: 200_000, last: 265_535 })
  for (const wrong of ['', '0-10', '200000', '5000-4000', '5000-5000', 'nobody', '1000-4294967295']) {
    await expect(of(wrong), wrong).rejects.toThrow('two user ids from 1000 on')
  }
})

test('variables for operations are names, and none of them a secret of Tutti', async () => {
  const of = async (text: string) =>
    (await resolveConfiguration(await environmentWith(), { operationVariables: text })).configuration
      .operationVariables
  expect(await of('')).toEqual([])
  expect(await of('AWS_*, OS_TOKEN')).toEqual(['AWS_*', 'OS_TOKEN'])
  for (const wrong of ['*', 'A*B', 'A=b', 'TUTTI_*', 'TUTTI_ADMIN_PASSWORD', 'T*', 'TUTTI*', 'tutti_x']) {
    await expect(of(wrong), wrong).rejects.toThrow('none of TUTTI_*')
  }
})

test('a flag wins over the environment, which wins over the file, which wins over the default', async () => {
  const environment = await environmentWith(
    { port: 1, host: 'file', logLevel: 'warn', allowedHosts: ['a', 'b'] },
    { TUTTI_PORT: '2', TUTTI_HOST: 'environment' },
  )
  const { configuration, effective } = await resolveConfiguration(environment, { port: '3' })
  expect(configuration).toMatchObject({
    port: 3,
    host: 'environment',
    logLevel: 'warn',
    allowedHosts: ['a', 'b'],
    leaseSeconds: 5,
  })
  const sources = Object.fromEntries(effective.map(({ name, source }) => [name, source]))
  expect(sources).toMatchObject({
    port: 'flag --port',
    host: 'environment TUTTI_HOST',
    logLevel: expect.stringMatching(/^logLevel in .*config\.json$/),
    leaseSeconds: 'default',
  })
})

test.each([
  [{ TUTTI_PORT: '99999' }, 'environment TUTTI_PORT must be an integer from 0 to 65535, got "99999"'],
  [{ TUTTI_ROLES: 'boss' }, 'environment TUTTI_ROLES must be one of all, api, worker, got "boss"'],
  [{ TUTTI_MAX_BODY_SIZE: 'big' }, 'environment TUTTI_MAX_BODY_SIZE must be a size like 64MiB, got "big"'],
  [{ TUTTI_URL: 'ftp://x' }, 'environment TUTTI_URL must be an address like'],
  [{ TUTTI_ALLOW_PRIVATE_ADDRESSES: 'maybe' }, 'must be true or false'],
])('%j is refused with its name', async (variables, message) => {
  await expect(resolveConfiguration(await environmentWith(undefined, variables))).rejects.toThrow(message)
})

test('a setting in the file that does not exist is refused', async () => {
  await expect(resolveConfiguration(await environmentWith({ prot: 1 }))).rejects.toThrow(
    'unknown setting prot',
  )
  await expect(resolveConfiguration(await environmentWith([]))).rejects.toThrow('must hold a JSON object')
})

test('`tutti config` prints values with their sources and no secret', async () => {
  const environment = await environmentWith(undefined, { TUTTI_ADMIN_PASSWORD: 'hush', TUTTI_PORT: '9000' })
  expect(await run(['config', '--json', '--lease-seconds', '7'], environment, installedParts, '0')).toBe(0)
  expect(environment.written()).not.toContain('hush')
  expect(JSON.parse(environment.written())).toMatchObject({
    adminPassword: { value: '********', source: 'environment TUTTI_ADMIN_PASSWORD' },
    port: { value: '9000', source: 'environment TUTTI_PORT' },
    leaseSeconds: { value: '7', source: 'flag --lease-seconds' },
  })
})

test('docs/configuration.md is the one that the table of settings makes', async () => {
  expect(await readFile(documentFile, 'utf8')).toBe(configurationDocument())
})
