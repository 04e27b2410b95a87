import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { addUser } from '../../../test/fixtures.ts'
import { adminDn, adminPassword, certificate, type Slapd, startSlapd, suffix } from '../../../test/slapd.ts'
import { passwordOf, startTestManager, type TestManager } from '../../../test/test-manager.ts'

/** Logins through a real directory (docs/ldap.md). */
let slapd: Slapd
let manager: TestManager
let nowMs = Date.now()
let lockMinutes = -1

const person = (name: string, more = '') => `dn: uid=${name},ou=users,${suffix}
objectClass: inetOrgPerson
objectClass: testAccount
uid: ${name}
cn: ${name}
givenName: ${name} the First
sn: of ${name}
mail: ${name}@example.org
userPassword: ${name}-secret
${more}`

const group = (name: string, members: readonly string[], more = '') => `dn: cn=${name},ou=groups,${suffix}
objectClass: groupOfUniqueNames
cn: ${name}
${members.map((member) => `uniqueMember: ${member}`).join('\n')}
${more}`

const groupDn = (name: string) => `cn=${name},ou=groups,${suffix}`
const userDn = (name: string) => `uid=${name},ou=users,${suffix}`

/** More than one search asks for. */
const many = Array.from({ length: 60 }, (_, index) => `many${index}`)

beforeAll(async () => {
  slapd = await startSlapd(
    [
      `dn: ${suffix}\nobjectClass: dcObject\nobjectClass: organization\ndc: example\no: Example\n`,
      `dn: ou=users,${suffix}\nobjectClass: organizationalUnit\nou: users\n`,
      `dn: ou=staff,${suffix}\nobjectClass: organizationalUnit\nou: staff\n`,
      `dn: ou=groups,${suffix}\nobjectClass: organizationalUnit\nou: groups\n`,
      // The memberof overlay keeps this up from here on.
      person('alice', `memberOf: ${groupDn('operators')}\n`),
      person('bob'),
      person('carol'),
      person('erin', many.map((name) => `memberOf: ${groupDn(name)}\n`).join('')),
      person('admin'),
      // Elsewhere, and with a name in Active Directory's own attribute.
      `dn: cn=Dora \\2B Co\\, (Ops),ou=staff,${suffix}\nobjectClass: inetOrgPerson\nobjectClass: testAccount\ncn: Dora + Co, (Ops)\nsn: D\nsAMAccountName: dora\nuserPassword: dora-secret\nmemberOf: ${groupDn('odd, (*) \\5C group').replace('odd,', 'odd\\,')}\n`,
      `dn: cn=twin1,ou=staff,${suffix}\nobjectClass: inetOrgPerson\ncn: twin1\nsn: T\nuid: twin\nuserPassword: twin-secret\n`,
      `dn: cn=twin2,ou=staff,${suffix}\nobjectClass: inetOrgPerson\ncn: twin2\nsn: T\nuid: twin\nuserPassword: twin-secret\n`,
      group('operators', [userDn('alice')], `memberOf: ${groupDn('engineering')}\n`),
      group(
        'engineering',
        [groupDn('operators'), groupDn('everybody')],
        `memberOf: ${groupDn('everybody')}\n`,
      ),
      group('everybody', [groupDn('engineering')], `memberOf: ${groupDn('engineering')}\n`),
      group('sleepers', [userDn('bob')]),
      ...many.map((name) => group(name, [userDn('erin')], `memberOf: ${groupDn('hub')}\n`)),
      group('hub', many.map(groupDn)),
    ].join('\n'),
  )
  manager = await startTestManager()
  Object.assign(manager.services, {
    now: () => new Date(nowMs),
    lockout: () => ({ maxFailedLogins: 2, periodMinutes: lockMinutes }),
  })
  await addUser(manager.db, 'localuser', { tenants: { 0: 'user' } })
  await addGroup('ops', groupDn('operators').toUpperCase().replaceAll(',', ', '), 'viewer')
  await addGroup('engineers', groupDn('engineering'), 'user')
  await addGroup('all', groupDn('everybody'), 'manager')
  await addGroup('hub', groupDn('hub'), 'viewer')
  await addGroup('plain', undefined, 'user')
})
afterAll(async () => {
  await manager?.close()
  await slapd?.stop()
})
beforeEach(() => {
  // What was remembered of logins is old.
  nowMs += 60_000
})

async function addGroup(name: string, ldapDn: string | undefined, role: string) {
  const body = { group_name: name, ...(ldapDn !== undefined && { ldap_group_dn: ldapDn }) }
  expect((await send('POST', '/user-groups', body)).status).toBe(201)
  const tenant = { group_name: name, tenant_name: 'default_tenant', role }
  expect((await send('PUT', '/tenants/user-groups', tenant)).status).toBe(200)
}

const send = (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object) =>
  manager.inject(method, path, { tenant: null, ...(body !== undefined && { body }) })

/** Settings that fit the directory, with what a test wants different. */
const settings = (more: object = {}) => ({ ldap_server: slapd.url, ldap_domain: 'example.org', ...more })
const searcher = { ldap_username: adminDn, ldap_password: adminPassword }

async function use(more: object = {}) {
  const { status, text } = await send('POST', '/ldap', settings(more))
  expect(status, text).toBe(200)
}

async function login(
  username: string,
  password: string,
  path = '/user?_get_data=true',
  method = 'GET' as const,
) {
  const answer = await manager.app.inject({
    method,
    url: `/api/v3.1${path}`,
    headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
  })
  return { status: answer.statusCode, body: answer.json() }
}

const refused = (username: string) => ({
  status: 401,
  body: {
    error_code: 'unauthorized_error',
    message: `User unauthorized: Authentication failed for <User username=\`${username}\`>. Wrong credentials or locked account`,
  },
})

test('what makes no sense is refused, and nothing is set', async () => {
  expect((await send('GET', '/ldap')).text).toBe('"disabled"')
  expect((await send('GET', '/idp')).text).toBe('"local"')
  expect(await login('localuser', passwordOf('localuser'))).toMatchObject({ status: 200 })
  const ca = await certificate('ca')
  for (const [body, message] of [
    [{ ldap_domain: 'example.org' }, 'Missing ldap_server in json request body'],
    [{ ldap_server: 'ldap://x' }, 'Missing ldap_domain in json request body'],
    [{ ...settings(), ldap_username: 'reader' }, /together/],
    [{ ...settings(), ldap_password: 'secret' }, /together/],
    [settings({ ldap_server: 'http://x' }), /ldap_server must be/],
    [settings({ ldap_server: 'ldap://u:p@x/dc=x' }), /ldap_server must be/],
    [settings({ ldap_domain: 'exa mple' }), /ldap_domain must be/],
    [settings({ ldap_ca_cert: ca }), /cannot be used with an ldap:/],
    [settings({ ldap_server: 'ldaps://localhost' }), /ldap_ca_cert is required/],
    [settings({ ldap_server: 'ldap+starttls://localhost' }), /ldap_ca_cert is required/],
    [settings({ ldap_server: 'ldaps://localhost', ldap_ca_cert: 'none' }), /in PEM form/],
    [settings({ ldap_bind_format: 'cn={object_dn}' }), /ldap_bind_format holds \{object_dn\}/],
    [settings({ ldap_bind_format: 'cn=all' }), /must hold the placeholder \{username\}/],
    [settings({ ldap_user_filter: '(uid={username})(x={domain})' }), /ldap_user_filter holds \{domain\}/],
    [settings({ ldap_user_filter: '(uid={username}' }), /ldap_user_filter is no LDAP filter/],
    [settings({ ldap_group_dn: 'ou=x,{group_dn}' }), /ldap_group_dn holds \{group_dn\}/],
    [
      settings({ ldap_group_member_filter: '(member={username})' }),
      /ldap_group_member_filter holds \{username\}/,
    ],
    [settings({ ldap_attribute_email: 'e mail' }), /ldap_attribute_email must be/],
    [settings({ ldap_nested_levels: 0 }), /ldap_nested_levels/],
    [settings({ ...searcher, ldap_password: 'wrong' }), /^Failed setting LDAP/],
    [settings({ ...searcher, ldap_server: 'ldap://127.0.0.1:1' }), /^Failed setting LDAP/],
  ] as const) {
    const answer = await send('POST', '/ldap', body)
    expect(answer, JSON.stringify(body)).toMatchObject({
      status: 400,
      body: { error_code: 'bad_parameters_error', message: expect.stringMatching(message) },
    })
    expect(answer.text).not.toContain(adminPassword)
  }
  expect((await send('GET', '/ldap')).text).toBe('"disabled"')
})

test('the answer shows the settings without the password, which is stored sealed', async () => {
  const answer = await send(
    'POST',
    '/ldap',
    settings({ ...searcher, ldap_nested_levels: '2', ldap_dn_extra: '' }),
  )
  expect(answer).toMatchObject({
    status: 200,
    body: { ldap_server: slapd.url, ldap_username: adminDn, ldap_nested_levels: 2, ldap_dn_extra: null },
  })
  expect(answer.text).not.toContain('ldap_password')
  expect((await send('GET', '/ldap')).text).toBe('"enabled"')
  expect((await send('GET', '/idp')).text).toBe('"ldap"')
  const rows = JSON.stringify(await manager.db.selectFrom('ldap').selectAll().execute())
  expect(rows).not.toContain(adminPassword)
  expect((await manager.inject('POST', '/ldap', { user: 'localuser', body: settings() })).status).toBe(401)
})

test('who fits comes in, is made a user, and has the roles of their groups', async () => {
  await use({ ldap_attribute_email: 'mail' })
  const answer = await login('alice', 'alice-secret')
  expect(answer).toMatchObject({
    status: 200,
    body: { username: 'alice', role: 'default', groups: ['ops'] },
  })
  expect(answer.body.tenant_roles).toEqual({ direct: {}, groups: { default_tenant: { viewer: ['ops'] } } })
  expect(answer.body.last_login_at).toMatch(/Z$/)
  const row = await manager.db
    .selectFrom('users')
    .select(['password_hash', 'first_name', 'last_name', 'email'])
    .where('username', '=', 'alice')
    .executeTakeFirst()
  expect(row).toEqual({
    password_hash: null,
    first_name: 'alice the First',
    last_name: 'of alice',
    email: 'alice@example.org',
  })
  expect((await login('ALICE', 'alice-secret')).body.username).toBe('alice')
})

test('who does not fit stays outside, in one and the same way', async () => {
  await use()
  expect(await login('alice', 'wrong')).toMatchObject(refused('alice'))
  expect(await login('alice', '')).toMatchObject(refused('alice'))
  expect(await login('nobody', 'secret')).toMatchObject(refused('nobody'))
  await use(searcher)
  expect(await login('alice', '')).toMatchObject(refused('alice'))
  expect(await login('alice', 'wrong')).toMatchObject(refused('alice'))
  expect(await login('twin', 'twin-secret')).toMatchObject(refused('twin'))
  // A password of this manager counts no longer, but the first administrator's does, and no directory's does for them.
  expect(await login('localuser', passwordOf('localuser'))).toMatchObject(refused('localuser'))
  expect((await login('admin', 'admin-secret')).status).toBe(401)
  expect(await login('admin', passwordOf('admin'))).toMatchObject({
    status: 200,
    body: { role: 'sys_admin' },
  })
})

test('no name gets into a filter or a name of an entry', async () => {
  const names = [
    'a*',
    'alice*',
    'alice)(uid=*',
    'alice)(|(uid=*))',
    'alice\\2a',
    'alice\\',
    'alice\0',
    'alice,ou=users',
    'alice+cn=alice',
    'alice ',
    'x,ou=users,dc=example,dc=org',
    'EXTERNAL',
    'PLAIN',
    'al{domain}ice',
  ]
  for (const more of [
    {},
    searcher,
    { ...searcher, ldap_user_filter: '(&(objectClass=person)(|(uid={username})(cn={username})))' },
    { ldap_bind_format: '{username}' },
    { ldap_is_active_directory: true },
  ]) {
    await use(more)
    for (const name of names) {
      const answer = await login(name, 'alice-secret')
      // Spaces at the end do not count in a directory: that is alice.
      if (name === 'alice ' && answer.status === 200) expect(answer.body.username).toBe('alice')
      else expect(answer, `${name} ${JSON.stringify(more)}`).toMatchObject(refused(name))
    }
  }
  const users = await manager.db.selectFrom('users').select('username').orderBy('username').execute()
  expect(users.map(({ username }) => username)).toEqual(['admin', 'alice', 'localuser'])
})

test('groups in groups count as deep as is said, and circles end', async () => {
  const groupsAt = async (levels: number, more: object) => {
    await use({ ldap_nested_levels: levels, ...more })
    return (await login('alice', 'alice-secret')).body.groups
  }
  const bySearch = { ldap_attribute_group_membership: 'description' }
  const byAttribute = { ...searcher, ldap_is_active_directory: true, ldap_user_filter: '(uid={username})' }
  for (const way of [bySearch, byAttribute, {}, searcher]) {
    expect(await groupsAt(1, way)).toEqual(['ops'])
    expect(await groupsAt(2, way)).toEqual(['engineers', 'ops'])
    expect(await groupsAt(50, way)).toEqual(['all', 'engineers', 'ops'])
    nowMs += 60_000
    expect((await login('erin', 'erin-secret')).body.groups).toEqual(['hub'])
  }
})

test('a group that is left is gone at the next login, its roles with it', async () => {
  await use({ ldap_nested_levels: 3 })
  const see = async () => (await login('carol', 'carol-secret')).body.tenant_roles.groups
  expect(await see()).toEqual({})
  await slapd.change(groupDn('operators'), 'add', 'uniqueMember', [userDn('carol')])
  // A login just now counts for a moment, but not for a token.
  expect(await see()).toEqual({})
  const { token } = { token: (await create('carol', 'carol-secret')).body.value as string }
  expect((await see()).default_tenant).toEqual({ manager: ['all'], user: ['engineers'], viewer: ['ops'] })
  await slapd.change(groupDn('operators'), 'delete', 'uniqueMember', [userDn('carol')])
  nowMs += 20_000
  expect(await see()).toEqual({})
  // The token goes on, with the roles that are left.
  const answer = await manager.inject('GET', '/user?_get_data=true', { token, tenant: null })
  expect(answer).toMatchObject({ status: 200, body: { username: 'carol', groups: [] } })
})

async function create(username: string, password: string) {
  const answer = await manager.app.inject({
    method: 'POST',
    url: '/api/v3.1/tokens',
    payload: '{}',
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    },
  })
  return { status: answer.statusCode, body: answer.json() }
}

test('a changed password is asked for after a moment, and who is deactivated here does not come in', async () => {
  await use()
  expect((await login('bob', 'bob-secret')).status).toBe(200)
  await slapd.change(userDn('bob'), 'replace', 'userPassword', ['changed'])
  expect((await login('bob', 'changed')).status).toBe(200)
  nowMs += 20_000
  expect(await login('bob', 'bob-secret')).toMatchObject(refused('bob'))
  expect((await send('POST', '/users/active/bob', { action: 'deactivate' })).status).toBe(200)
  for (let step = 0; step < 2; step += 1) {
    expect((await login('bob', 'changed')).body.message).toBe(
      'User unauthorized: No authentication info provided',
    )
    nowMs += 60_000
  }
  await send('POST', '/users/active/bob', { action: 'activate' })
  expect((await login('bob', 'changed')).status).toBe(200)
})

test('failures lock an account as they do here', async () => {
  await use()
  await login('bob', 'changed')
  nowMs += 60_000
  for (let count = 0; count < 3; count += 1) expect((await login('bob', 'wrong')).status).toBe(401)
  lockMinutes = 60
  expect(await login('bob', 'changed')).toMatchObject(refused('bob'))
  expect((await send('POST', '/users/unlock/bob')).status).toBe(200)
  expect((await login('bob', 'changed')).status).toBe(200)
  lockMinutes = -1
})

test('settings as for Active Directory: the entry is searched for, and the password proves it', async () => {
  const odd = groupDn('odd\\, (*) \\5C group')
  await addGroup('odd', odd, 'viewer')
  await use({ ...searcher, ldap_is_active_directory: true, ldap_attribute_uid: 'sAMAccountName' })
  expect(await login('dora', 'dora-secret')).toMatchObject({
    status: 200,
    body: { username: 'dora', groups: ['odd'] },
  })
  expect(await login('dora', 'wrong')).toMatchObject(refused('dora'))
  // Without a user that searches, the name is alice@example.org, which this directory does not know.
  await use({ ldap_is_active_directory: true })
  expect(await login('alice', 'alice-secret')).toMatchObject(refused('alice'))
})

test('a bind format and a base of its own; a short name of the user that searches', async () => {
  await use({
    ldap_domain: 'org',
    ldap_dn_extra: 'dc=example',
    ldap_bind_format: 'uid={username},ou=users,dc=example,{domain_dn}',
    ldap_username: 'carol',
    ldap_password: 'carol-secret',
    ldap_group_dn: 'ou=groups,{base_dn}',
  })
  expect(await login('alice', 'alice-secret')).toMatchObject({ status: 200, body: { groups: ['ops'] } })
  await use({
    ldap_base_dn: `ou=nowhere,${suffix}`,
    ldap_bind_format: `uid={username},ou=users,${suffix}`,
    ldap_attribute_group_membership: 'description',
  })
  nowMs += 60_000
  expect(await login('alice', 'alice-secret')).toMatchObject({ status: 200, body: { groups: [] } })
})

test('encrypted, with the authority that is given and for the host that is named', async () => {
  const [ca, otherCa] = await Promise.all([certificate('ca'), certificate('other-ca')])
  const startTls = slapd.url.replace('ldap:', 'ldap+starttls:')
  for (const server of [slapd.secureUrl, startTls]) {
    await use({ ldap_server: server, ldap_ca_cert: ca })
    expect(await login('alice', 'alice-secret')).toMatchObject({ status: 200 })
    await use({ ldap_server: server, ldap_ca_cert: ca, ...searcher })
    expect(await login('alice', 'alice-secret')).toMatchObject({ status: 200, body: { groups: ['ops'] } })
    for (const wrong of [
      { ldap_server: server, ldap_ca_cert: otherCa },
      { ldap_server: server.replace('localhost', '127.0.0.1'), ldap_ca_cert: ca },
    ]) {
      expect((await send('POST', '/ldap', settings({ ...wrong, ...searcher }))).body.message).toMatch(
        /^Failed setting LDAP.*(certificate|altnames)/,
      )
      await use(wrong)
      expect(await login('alice', 'alice-secret')).toMatchObject(notRunning)
    }
  }
  // What speaks plainly is no server for ldaps, and the other way round.
  await use({ ldap_server: slapd.url.replace('ldap:', 'ldaps:'), ldap_ca_cert: ca })
  expect(await login('alice', 'alice-secret')).toMatchObject(notRunning)
  await use({ ldap_server: slapd.secureUrl.replace('ldaps:', 'ldap:') })
  expect(await login('alice', 'alice-secret')).toMatchObject(notRunning)
})

const notRunning = { status: 500, body: { error_code: 'not_running_ldap_server' } }

test('a directory that is away, silent, or talks nonsense holds nobody up', async () => {
  const silent = await listening((socket) => socket.on('data', () => {}))
  const closing = await listening((socket) => socket.destroy())
  const babbling = await listening((socket) => socket.write(Buffer.alloc(100_000, 0x30)))
  for (const port of [1, silent.port, closing.port, babbling.port]) {
    for (const scheme of ['ldap', 'ldaps', 'ldap+starttls']) {
      const ca = scheme === 'ldap' ? {} : { ldap_ca_cert: await certificate('ca') }
      await use({ ldap_server: `${scheme}://127.0.0.1:${port}`, ...ca })
      expect(await login('alice', 'alice-secret'), `${scheme} ${port}`).toMatchObject(notRunning)
    }
  }
  await use({ ldap_server: 'ldap://nowhere.invalid' })
  expect(await login('alice', 'alice-secret')).toMatchObject(notRunning)
  expect(await login('admin', passwordOf('admin'))).toMatchObject({ status: 200 })
  for (const { server } of [silent, closing, babbling]) server.close()
})

async function listening(onConnection: (socket: import('node:net').Socket) => void) {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {})
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { server, port: address.port }
}

test('while the directory decides, users and what they belong to are not changed here', async () => {
  await use()
  const action = (name: string) => `Action \`${name}\` is not available when using external authentication`
  expect(await send('PUT', '/users', { username: 'eve', password: 'long enough' })).toMatchObject({
    status: 400,
    body: { error_code: 'illegal_action_error', message: action('create user') },
  })
  const member = { username: 'localuser', tenant_name: 'default_tenant' }
  for (const method of ['PUT', 'PATCH'] as const) {
    const answer = await send(method, '/tenants/users', { ...member, role: 'manager' })
    expect(answer).toMatchObject({ status: 400, body: { error_code: 'illegal_action_error' } })
  }
  expect(await send('PUT', '/user-groups/users', { username: 'bob', group_name: 'plain' })).toMatchObject({
    status: 405,
    body: { error_code: 'method_not_allowed_error', message: action('add user to group') },
  })
  expect((await send('DELETE', '/tenants/users', member)).status).toBe(204)
  expect((await send('POST', '/user-groups', { group_name: 'more', ldap_group_dn: 'cn=more' })).status).toBe(
    201,
  )
})

test('without the directory, passwords of this manager count again', async () => {
  await use()
  expect((await manager.inject('DELETE', '/ldap', { tenant: null })).status).toBe(204)
  expect((await send('GET', '/ldap')).text).toBe('"disabled"')
  expect(await login('localuser', passwordOf('localuser'))).toMatchObject({ status: 200 })
  expect((await login('alice', 'alice-secret')).status).toBe(401)
})

test('the settings are shown and changed one by one too, with the same right and checks', async () => {
  const config = (name: string) => send('GET', `/config/${name}`)
  const change = (name: string, value: unknown) => send('PUT', `/config/${name}`, { value })
  await addUser(manager.db, 'mona', { tenants: { 0: 'manager' } })
  const monaIn = await manager.inject('POST', '/tokens', { user: 'mona', tenant: null, body: {} })
  const asMona = { token: monaIn.body.value, user: null }
  expect((await config('ldap_server')).body).toMatchObject({
    value: null,
    admin_only: false,
    updated_at: null,
  })
  expect(await change('ldap_server', slapd.url)).toMatchObject({
    status: 409,
    body: { error_code: 'conflict_error', message: expect.stringContaining('LDAP is off') },
  })

  await use({ ...searcher, ldap_nested_levels: 2 })
  expect((await config('ldap_nested_levels')).body).toMatchObject({
    value: 2,
    scope: 'rest',
    updated_at: expect.stringMatching(/Z$/),
  })
  expect((await config('ldap_password')).body).toMatchObject({ value: adminPassword, admin_only: true })
  const seen = await manager.inject('GET', '/config?scope=rest', asMona)
  const values = Object.fromEntries(
    seen.body.items.map((item: { name: string; value: unknown }) => [item.name, item.value]),
  )
  expect(values).toMatchObject({
    ldap_server: slapd.url,
    ldap_username: '********',
    ldap_password: '********',
  })
  expect(seen.text).not.toContain(adminPassword)
  // Who may change other settings could else let everybody log in through a directory of their own.
  expect(
    await manager.inject('PUT', '/config/ldap_server', { ...asMona, body: { value: 'ldap://x' } }),
  ).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('ldap_set') },
  })
  expect(
    (await manager.inject('PUT', '/config/ldap_password', { ...asMona, body: { value: 'x' } })).status,
  ).toBe(401)

  expect((await change('ldap_nested_levels', '3')).body).toMatchObject({ value: 3 })
  expect((await change('ldap_is_active_directory', 'False')).body).toMatchObject({ value: false })
  for (const [name, value, status, message] of [
    ['ldap_nested_levels', 0, 409, /^Error validating ldap_nested_levels/],
    ['ldap_server', 'http://x', 400, /ldap_server must be/],
    ['ldap_server', null, 409, /^Error validating ldap_server/],
    ['ldap_user_filter', '(uid={username}', 400, /is no LDAP filter/],
    ['ldap_password', 'wrong', 400, /^Failed setting LDAP/],
    ['ldap_username', null, 400, /together/],
  ] as const) {
    const answer = await change(name, value)
    expect(answer, name).toMatchObject({ status, body: { message: expect.stringMatching(message) } })
    expect(answer.text).not.toContain(adminPassword)
  }
  expect((await change('ldap_attribute_email', 'mail')).body).toMatchObject({ value: 'mail' })
  expect((await config('ldap_password')).body.value).toBe(adminPassword)
  expect(await login('alice', 'alice-secret')).toMatchObject({ status: 200 })
})

test('no private address is connected to unless a setting allows it', async () => {
  const closed = await startTestManager({ allowPrivateAddresses: false })
  const set = (server: string) =>
    closed.inject('POST', '/ldap', { body: { ldap_server: server, ldap_domain: 'example.org' } })
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '10.0.0.1', '169.254.169.254', '2130706433']) {
    expect(await set(`ldap://${host}:${slapd.port}`), host).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/private address.*TUTTI_ALLOW_PRIVATE_LDAP/) },
    })
  }
  const { settings: given } = closed.services
  Object.assign(closed.services, { settings: { ...given, allowPrivateLdap: true } })
  expect((await set(slapd.url)).status).toBe(200)
  // Whatever the name led to when it was set: the address that a login goes to is checked itself.
  Object.assign(closed.services, { settings: given })
  const answer = await closed.app.inject({
    url: '/api/v3.1/user',
    headers: { authorization: `Basic ${btoa('alice:alice-secret')}` },
  })
  expect(answer.json()).toMatchObject({ error_code: 'not_running_ldap_server' })
  Object.assign(closed.services, { settings: { ...given, allowPrivateLdap: true, allowedHosts: ['other'] } })
  expect((await set(slapd.url)).body.message).toContain('TUTTI_ALLOWED_HOSTS')
  await closed.close()
})
