import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { operationRequest } from '../../test/operation-request.ts'
import { childEnvironment } from './child-environment.ts'

function variablesOf(
  inherited: Readonly<Record<string, string>>,
  alsoPassed: readonly string[] = [],
  user: number | null = null,
) {
  const { environment, context } = operationRequest({ folder: '/data', port: 1 }, {})
  const given = { ...environment, inherited, alsoPassed, runtimeFolder: '/runtime' }
  return childEnvironment(given, context, 'python3', user)
}

const commands = existsSync('/usr/bin/perl') ? '/runtime/bin/perl:/runtime/bin' : '/runtime/bin'

const own = Object.keys(variablesOf({}))

test('what programs need to know of their machine is passed on, and nothing else', () => {
  const given = {
    ...{ HOME: '/home/me', USER: 'me', LANG: 'de_DE.UTF-8', LC_TIME: 'C', TZ: 'UTC', TMPDIR: '/scratch' },
    ...{
      HTTPS_PROXY: 'http://p:1',
      no_proxy: 'localhost',
      SSL_CERT_FILE: '/ca.pem',
      REQUESTS_CA_BUNDLE: '/ca.pem',
    },
    ...{ PYTHONPATH: '/sdk', CFY_EXEC_TEMP: '/scratch' },
  }
  const secret = {
    ...{ TUTTI_ADMIN_PASSWORD: 's', TUTTI_ENCRYPTION_KEY: 's', PGPASSWORD: 's', DATABASE_URL: 's' },
    ...{ AWS_SECRET_ACCESS_KEY: 's', OS_PASSWORD: 's', GITHUB_TOKEN: 's', VAULT_TOKEN: 's', MY_SETTING: 's' },
    ...{ npm_config_registry: 's', NODE_OPTIONS: 's', NODE_ENV: 's', NOTIFY_SOCKET: 's', LD_PRELOAD: 's' },
    ...{ SSH_AUTH_SOCK: 's', DOCKER_HOST: 's', BASH_ENV: 's', ENV: 's', PYTHONSTARTUP: 's', LCX: 's' },
  }
  const variables = variablesOf({ ...given, ...secret })
  expect(variables).toMatchObject(given)
  expect(Object.keys(variables).sort()).toEqual([...own, ...Object.keys(given)].sort())
})

test('a setting names what is passed on besides', () => {
  const given = { AWS_SECRET_ACCESS_KEY: 'a', AWS_REGION: 'b', OS_TOKEN: 'c', OS_TOKEN_2: 'd' }
  const { OS_TOKEN_2: _, ...named } = given
  const variables = variablesOf(given, ['AWS_*', 'OS_TOKEN'])
  expect(variables).toMatchObject(named)
  expect(Object.keys(variables).sort()).toEqual([...own, ...Object.keys(named)].sort())
})

test('programs are looked for in folders of the machine only', () => {
  const path = (PATH: string) => variablesOf({ PATH }).PATH
  expect(
    path(
      '/app/node_modules/.bin:/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin:/opt/bin::.:bin:/usr/bin',
    ),
  ).toBe(`${commands}:/opt/bin:/usr/bin`)
  for (const nothing of ['', ':', '/app/node_modules/.bin']) {
    expect(path(nothing)).toBe(`${commands}:/usr/local/bin:/usr/bin:/bin`)
  }
})

test('who runs as another user is not told of the first one', () => {
  const variables = variablesOf(
    { USER: 'root', LOGNAME: 'root', XDG_RUNTIME_DIR: '/run/0', HOME: '/root' },
    [],
    7,
  )
  expect(variables).toMatchObject({ HOME: '/data/plugins' })
  expect(Object.keys(variables)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(USER|LOGNAME|XDG)/)]),
  )
})
