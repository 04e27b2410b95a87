import { Option } from 'commander'
import { UsageError } from '../errors/usage-error.ts'
import { givenSecret, oldPassword, password, readSecret, secretOptions } from '../input/secret.ts'
import { flagColumn, jsonColumn, membersColumn, textColumn, timeColumn } from './columns.ts'
import type { CommandDefinition, Noun } from './command.ts'
import type { Answered } from './resource.ts'
import { getDataOption, systemRoleOption, tenantRoleOption } from './roles.ts'
import { action, get, list } from './verbs.ts'

const user: Answered<'users.get'> = {
  plural: 'users',
  columns: [
    textColumn('username', ({ username }) => username),
    textColumn('role', ({ role }) => role),
    flagColumn('active', ({ active }) => active),
    flagColumn('locked', ({ is_locked: isLocked }) => isLocked),
    membersColumn('tenants', ({ tenants }) => tenants),
    membersColumn('user groups', ({ groups }) => groups),
    timeColumn('last login', ({ last_login_at: time }) => time),
  ],
  details: [
    jsonColumn('roles of groups', ({ group_system_roles: roles }) => roles),
    timeColumn('created at', ({ created_at: time }) => time),
    timeColumn('first login', ({ first_login_at: time }) => time),
  ],
}

const create: CommandDefinition = {
  usage: 'create <username>',
  description: 'Create a user; asks for the password where no option gives it',
  examples: [
    'tutti users create alice',
    'tutti users create alice -r sys_admin --password-file alice.txt',
    'tutti users create alice -t web -l user',
  ],
  options: [
    systemRoleOption().default('default'),
    new Option('-t, --tenant-name <tenant>', 'tenant to add the user to'),
    tenantRoleOption('-l, --user-tenant-role <role>'),
    ...secretOptions(password),
  ],
  run: async (context, [username = ''], options) => {
    const tenant = options.text('tenantName')
    const tenantRole = options.text('userTenantRole')
    if ((tenant === undefined) !== (tenantRole === undefined)) {
      throw new UsageError('A tenant and the role in it belong together', 'Give both: -t TENANT -l ROLE')
    }
    const secret = await readSecret(context, options, password, {
      question: `New password of ${username}`,
      isNew: true,
    })
    const { call } = await context.client()
    const body = { username, password: secret, role: options.required('role') }
    const created = await call('users.create', { body })
    if (tenant === undefined || tenantRole === undefined) {
      context.printer.value(
        created,
        `User ${username} is created. Next: tutti tenants add-user ${username} -t TENANT -r ROLE`,
      )
      return
    }
    await call('tenantUsers.add', { body: { username, tenant_name: tenant, role: tenantRole } })
    const added = await call('users.get', { params: { username } })
    context.printer.value(added, `User ${username} is created, and has the role ${tenantRole} in ${tenant}`)
  },
}

export const users: Noun = {
  name: 'users',
  description: 'Who may log in',
  commands: [
    list('users.list', user, {
      description: 'List users',
      examples: ['tutti users list', 'tutti users list --get-data'],
      search: 'their name',
      options: [getDataOption()],
      query: (options) => ({ _get_data: options.flag('getData') }),
    }),
    get('users.get', user, {
      usage: 'get <user>',
      description: 'Show a user with the tenants and groups',
      examples: ['tutti users get alice'],
      query: () => ({ _get_data: true }),
    }),
    get('user.get', user, {
      usage: 'whoami',
      description: 'Show the user that you are logged in as',
      examples: ['tutti users whoami'],
      query: () => ({ _get_data: true }),
    }),
    create,
    action('users.delete', {
      usage: 'delete <user>',
      description: 'Delete a user who is in no tenant or group and owns nothing',
      examples: ['tutti users delete alice'],
      done: ([name]) => `User ${name} is deleted`,
    }),
    action('users.update', {
      usage: 'set-password <user>',
      description:
        'Set a password, yours or as an administrator that of others; asks for it. It ends all tokens of the user. ' +
        'Whoever is logged in by a token gives the present password along with their own new one',
      examples: [
        'tutti users set-password alice',
        'tutti users set-password alice --password-stdin',
        'tutti users set-password alice --old-password-file old.txt',
      ],
      options: [...secretOptions(password), ...secretOptions(oldPassword)],
      body: async ([name], options, context) => {
        const old = await givenSecret(context, options, oldPassword)
        const question = `New password of ${name}`
        return {
          password: await readSecret(context, options, password, { question, isNew: true }),
          ...(old !== undefined && { old_password: old }),
        }
      },
      done: ([name]) => `The password of ${name} is changed`,
    }),
    action('users.update', {
      usage: 'set-role <user>',
      description: 'Set the role of a user that counts in every tenant',
      examples: ['tutti users set-role alice -r sys_admin'],
      options: [systemRoleOption().makeOptionMandatory()],
      body: (_args, options) => ({ role: options.required('role') }),
      done: ([name], options) => `${name} has the role ${options.text('role')}`,
    }),
    action('users.setActive', {
      usage: 'activate <user>',
      description: 'Let a user log in again',
      examples: ['tutti users activate alice'],
      body: () => ({ action: 'activate' }),
      done: ([name]) => `User ${name} is active`,
    }),
    action('users.setActive', {
      usage: 'deactivate <user>',
      description: 'Keep a user from logging in',
      examples: ['tutti users deactivate alice'],
      body: () => ({ action: 'deactivate' }),
      done: ([name]) => `User ${name} is not active any more`,
    }),
    action('users.unlock', {
      usage: 'unlock <user>',
      description: 'Unlock a user after too many failed logins',
      examples: ['tutti users unlock alice'],
      done: ([name]) => `User ${name} is unlocked`,
    }),
  ],
}
