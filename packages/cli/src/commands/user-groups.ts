import { Option } from 'commander'
import { membersColumn, textColumn } from './columns.ts'
import type { Noun } from './command.ts'
import type { Answered } from './resource.ts'
import { getDataOption, systemRoleOption } from './roles.ts'
import { action, get, list } from './verbs.ts'

const userGroup: Answered<'userGroups.get'> = {
  plural: 'user groups',
  columns: [
    textColumn('name', ({ name }) => name),
    textColumn('role', ({ role }) => role),
    membersColumn('tenants', ({ tenants }) => tenants),
    membersColumn('users', ({ users }) => users),
    textColumn('LDAP group', ({ ldap_dn: dn }) => dn),
  ],
}

const groupOption = (): Option =>
  new Option('-g, --user-group <user-group>', 'user group').makeOptionMandatory()

export const userGroups: Noun = {
  name: 'user-groups',
  description: 'Groups of users, who have the roles of their groups',
  commands: [
    list('userGroups.list', userGroup, {
      description: 'List user groups',
      examples: ['tutti user-groups list', 'tutti user-groups list --get-data'],
      search: 'their name',
      options: [getDataOption()],
      query: (options) => ({ _get_data: options.flag('getData') }),
    }),
    get('userGroups.get', userGroup, {
      usage: 'get <user-group>',
      description: 'Show a user group with its users and tenants',
      examples: ['tutti user-groups get developers'],
      query: () => ({ _get_data: true }),
    }),
    action('userGroups.create', {
      usage: 'create <name>',
      description: 'Create a user group',
      examples: [
        'tutti user-groups create developers',
        'tutti user-groups create developers -l cn=developers,ou=groups,dc=example,dc=org',
      ],
      options: [
        systemRoleOption().default('default'),
        new Option('-l, --ldap-distinguished-name <dn>', 'members of this LDAP group join by logging in'),
      ],
      body: ([name = ''], options) => ({
        group_name: name,
        role: options.text('role'),
        ldap_group_dn: options.text('ldapDistinguishedName'),
      }),
      done: ([name]) =>
        `User group ${name} is created. Next: tutti tenants add-user-group ${name} -t TENANT -r ROLE`,
    }),
    action('userGroups.delete', {
      usage: 'delete <user-group>',
      description: 'Delete a user group that has no users and tenants',
      examples: ['tutti user-groups delete developers'],
      done: ([name]) => `User group ${name} is deleted`,
    }),
    action('userGroups.update', {
      usage: 'set-role <user-group>',
      description: 'Set the role of a user group that counts in every tenant',
      examples: ['tutti user-groups set-role admins -r sys_admin'],
      options: [systemRoleOption().makeOptionMandatory()],
      body: (_args, options) => ({ role: options.required('role') }),
      done: ([name], options) => `${name} has the role ${options.text('role')}`,
    }),
    action('userGroups.addUser', {
      usage: 'add-user <user>',
      description: 'Add a user to a user group',
      examples: ['tutti user-groups add-user alice -g developers'],
      options: [groupOption()],
      body: ([username = ''], options) => ({ username, group_name: options.required('userGroup') }),
      done: ([username], options) => `${username} is in ${options.text('userGroup')}`,
    }),
    action('userGroups.removeUser', {
      usage: 'remove-user <user>',
      description: 'Remove a user from a user group',
      examples: ['tutti user-groups remove-user alice -g developers'],
      options: [groupOption()],
      body: ([username = ''], options) => ({ username, group_name: options.required('userGroup') }),
      done: ([username], options) => `${username} is no longer in ${options.text('userGroup')}`,
    }),
  ],
}
