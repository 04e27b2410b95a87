import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loggedInAs, type RealCli, startRealCli } from '../../test/real-cli.ts'

let cli: RealCli
beforeAll(async () => {
  cli = await startRealCli()
})
afterAll(() => cli.close())

/** Answers questions in their order, and says what was asked. */
function answering(...answers: readonly string[]) {
  const questions: string[] = []
  const askSecret = async (question: string) => {
    questions.push(question)
    return answers[questions.length - 1] ?? ''
  }
  return { questions, askSecret }
}

test('a user is created with a password that is typed twice, and may log in to a tenant', async () => {
  const { questions, askSecret } = answering('alice-password', 'alice-password')
  expect(await cli.tutti('tenants create web')).toMatchObject({
    exitCode: 0,
    written: 'Tenant web is created. Next: tutti tenants add-user USER -t web -r user\n',
  })
  const created = await cli.tutti('users create alice -t web -l user', { askSecret })
  expect(created).toMatchObject({
    exitCode: 0,
    written: 'User alice is created, and has the role user in web\n',
  })
  expect(questions).toEqual(['New password of alice: ', 'New password of alice, again: '])
  const asAlice = { variables: loggedInAs('alice') }
  expect((await cli.tutti('users whoami', asAlice)).written).toContain('tenants      web (user)')
  expect((await cli.tutti('tenants get web', asAlice)).written).toBe('name   web\nusers  alice (user)\n')
  expect((await cli.tutti('blueprints list --tenant web', asAlice)).written).toBe('No blueprints.\n')
  expect(await cli.tutti('users list', asAlice)).toMatchObject({
    exitCode: 1,
    errors: expect.stringContaining('User `alice` is not permitted to perform the action user_list'),
  })
})

test('a password comes from standard input or a file, and two that differ change nothing', async () => {
  await writeFile(join(cli.folder, 'bob.txt'), 'bob-password\n')
  expect(await cli.tutti('users create bob --password-file bob.txt')).toMatchObject({ exitCode: 0 })
  expect(await cli.tutti('users whoami', { variables: loggedInAs('bob') })).toMatchObject({ exitCode: 0 })

  const { askSecret } = answering('one-password', 'other-password')
  expect(await cli.tutti('users set-password bob', { askSecret })).toMatchObject({
    exitCode: 2,
    errors: expect.stringContaining('The two times the password was not the same'),
  })
  expect(await cli.tutti('users set-password bob')).toMatchObject({
    exitCode: 2,
    errors: expect.stringContaining('--password-stdin or --password-file'),
  })
  expect(await cli.tutti('users set-password bob --password-stdin', { input: '\n' })).toMatchObject({
    exitCode: 2,
    errors: expect.stringContaining('The password from standard input is empty'),
  })
  const changed = await cli.tutti('users set-password bob --password-stdin', { input: 'new-password\n' })
  expect(changed).toMatchObject({ exitCode: 0, written: 'The password of bob is changed\n' })
  const variables = { ...loggedInAs('bob'), TUTTI_PASSWORD: 'new-password' }
  expect(await cli.tutti('users whoami', { variables })).toMatchObject({ exitCode: 0 })
})

test('users are deactivated, activated, given another role and deleted', async () => {
  await cli.tutti('users create carol -p carol-password')
  expect((await cli.tutti('users deactivate carol')).written).toBe('User carol is not active any more\n')
  expect((await cli.tutti('users get carol')).written).not.toContain('active')
  expect((await cli.tutti('users activate carol')).exitCode).toBe(0)
  expect((await cli.tutti('users unlock carol')).exitCode).toBe(1)
  expect((await cli.tutti('users set-role carol -r sys_admin --json')).json).toMatchObject({
    username: 'carol',
    role: 'sys_admin',
  })
  expect(await cli.tutti('users set-role carol -r king')).toMatchObject({
    exitCode: 2,
    errors: expect.stringContaining('Allowed choices are sys_admin, default'),
  })
  expect((await cli.tutti('users delete carol')).written).toBe('User carol is deleted\n')
  expect(await cli.tutti('users get carol')).toMatchObject({
    exitCode: 1,
    errors: expect.stringContaining('See what there is: tutti users list'),
  })
})

test('tenants and user groups have members, whose roles can be changed', async () => {
  await cli.tutti('tenants create lab')
  await cli.tutti('users create dave -p dave-password')
  expect((await cli.tutti('user-groups create devs')).exitCode).toBe(0)
  expect((await cli.tutti('user-groups add-user dave -g devs')).written).toBe('dave is in devs\n')
  expect((await cli.tutti('tenants add-user-group devs -t lab -r viewer')).exitCode).toBe(0)
  expect((await cli.tutti('tenants update-user-group devs -t lab -r operations')).exitCode).toBe(0)
  expect((await cli.tutti('tenants add-user dave -t lab')).written).toBe('dave has the role user in lab\n')
  expect((await cli.tutti('tenants get lab')).written).toBe(
    'name         lab\nusers        dave (operations, user)\nuser groups  devs (operations)\n',
  )
  expect((await cli.tutti('user-groups list --get-data')).written).toMatch(
    /devs +default +lab \(operations\) +dave/,
  )
  expect((await cli.tutti('tenants remove-user-group devs -t lab')).exitCode).toBe(0)
  expect((await cli.tutti('tenants remove-user dave -t lab')).exitCode).toBe(0)
  expect((await cli.tutti('user-groups remove-user dave -g devs')).exitCode).toBe(0)
  expect((await cli.tutti('user-groups delete devs')).exitCode).toBe(0)
  expect((await cli.tutti('tenants delete lab')).exitCode).toBe(0)
  expect((await cli.tutti('tenants list --search lab')).written).toBe('No tenants.\n')
})

test('a token logs in, and its value is shown once', async () => {
  const { json } = await cli.words([
    'tokens',
    'create',
    '--description',
    'build server',
    '--expiry',
    '+10h',
    '--json',
  ])
  expect(json.value).toMatch(/^ctok-/)
  const variables = { TUTTI_TOKEN: json.value, TUTTI_PASSWORD: '' }
  expect((await cli.tutti('tokens list', { variables })).written).toContain('build server')
  expect((await cli.tutti(`tokens get ${json.id} --json`)).json.value).not.toBe(json.value)
  expect((await cli.tutti('tokens create')).written).toContain('it is not shown again')
  expect((await cli.tutti(`tokens delete ${json.id}`)).written).toBe(`Token ${json.id} is deleted\n`)
  expect((await cli.tutti('tokens list', { variables })).exitCode).toBe(1)
})

test('permissions are granted and revoked', async () => {
  expect((await cli.tutti('permissions grant viewer execution_start')).written).toBe(
    'viewer holds execution_start\n',
  )
  expect((await cli.tutti('permissions get viewer')).written).toContain('execution_start')
  expect((await cli.tutti('permissions revoke viewer execution_start')).exitCode).toBe(0)
  expect((await cli.tutti('permissions get viewer')).written).not.toContain('execution_start')
  expect((await cli.tutti('permissions get nobody')).exitCode).toBe(1)
})
