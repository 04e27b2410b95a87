import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError } from '@tutti/api'
import type { ContractHandlers } from '@tutti/client/testing'
import { afterEach, expect, test } from 'vitest'
import { type Cli, startCli } from '../../test/cli.ts'
import type { TestEnvironmentOptions } from '../../test/test-environment.ts'

const opened: Cli[] = []
afterEach(async () => {
  for (const cli of opened.splice(0)) await cli.close()
})

/** A manager that knows one password and remembers what it was sent. */
async function manager(password: string, options: TestEnvironmentOptions = {}) {
  const seen: (string | undefined)[] = []
  const check = ({ headers }: { headers: { authorization?: string | undefined } }) => {
    seen.push(headers.authorization)
    if (headers.authorization === `Basic ${btoa(`admin:${password}`)}`) return
    throw new ApiError('unauthorized_error', 'User unauthorized: wrong')
  }
  const handlers: ContractHandlers = {
    'version.get': (request) => {
      check(request)
      return {
        edition: 'premium',
        version: '7.1',
        build: null,
        date: null,
        commit: null,
        distribution: null,
        distro_release: null,
      }
    },
    'status.get': (request) => {
      check(request)
      return { status: 'OK', services: {} }
    },
  }
  const cli = await startCli(handlers, {
    ...options,
    variables: { TUTTI_PASSWORD: '', ...options.variables },
  })
  opened.push(cli)
  return { ...cli, seen }
}

async function writePassword(home: string, password: string) {
  await mkdir(join(home, '.tutti'), { recursive: true })
  await writeFile(join(home, '.tutti', 'admin-password'), `${password}\n`, { mode: 0o600 })
}

test('on the machine of the manager nothing has to be set up: its password file is found', async () => {
  const { tutti, environment } = await manager('generated')
  await writePassword(environment.home, 'generated')
  expect(await tutti('status')).toBe(0)
  expect(environment.written()).toContain('OK')
})

test('`tutti init` remembers the login in a file that only its owner may read', async () => {
  const { tutti, environment, server } = await manager('typed', { askSecret: async () => 'typed' })
  expect(await tutti('init', 'mine', '--tenant', 'web')).toBe(0)
  const file = join(environment.home, '.config', 'tutti', 'profiles.json')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    current: 'mine',
    profiles: { mine: { url: server.url, tenant: 'web', username: 'admin', password: 'typed' } },
  })
  expect(await tutti('status')).toBe(0)
  expect(environment.written()).toContain('tenant web')

  await chmod(file, 0o644)
  expect(await tutti('status')).toBe(2)
  expect(environment.errors()).toContain(`chmod 600 ${file}`)
})

test('a login that fails is not remembered, and is explained', async () => {
  const { tutti, environment } = await manager('right', { askSecret: async () => 'wrong' })
  expect(await tutti('init')).toBe(1)
  expect(environment.errors()).toContain('User unauthorized: wrong')
  expect(environment.errors()).toContain('where: GET /version (unauthorized_error, HTTP 401)')
  expect(await tutti('profiles', 'list')).toBe(0)
  expect(environment.written()).toContain('No profiles.')
})

test('without a terminal and without a password it is said how to give one', async () => {
  const { tutti, environment } = await manager('right')
  expect(await tutti('init')).toBe(2)
  expect(environment.errors()).toContain('Set TUTTI_PASSWORD or TUTTI_TOKEN')
})

test('the secrets of a profile are never sent to another manager', async () => {
  const other = await manager('x')
  const { tutti, seen } = await manager('typed', { askSecret: async () => 'typed' })
  expect(await tutti('init', 'mine')).toBe(0)
  expect(seen.at(-1)).toBe(`Basic ${btoa('admin:typed')}`)
  expect(await tutti('status', '--url', other.server.url)).toBe(1)
  expect(new Set(other.seen)).toEqual(new Set([undefined]))
})

test('profiles are listed, chosen and forgotten', async () => {
  const { tutti, environment } = await manager('typed', { askSecret: async () => 'typed' })
  await tutti('init', 'one')
  await tutti('init', 'two')
  expect(await tutti('profiles', 'use', 'one')).toBe(0)
  expect(await tutti('profiles', 'use', 'three')).toBe(2)
  expect(environment.errors()).toContain('There are: one, two')
  expect(await tutti('profiles', 'delete', 'one')).toBe(0)
  expect(await tutti('profiles', 'list', '--json')).toBe(0)
  expect(JSON.parse(environment.written().trim().split('\n').at(-1) ?? '')).toMatchObject({
    items: [{ name: 'two', is_current: false }],
  })
})
