import { Option } from 'commander'
import { membersColumn, textColumn } from './columns.ts'
import type { CommandDefinition, Noun, Options } from './command.ts'
import type { Answered } from './resource.ts'
import { getDataOption, tenantRoleOption } from './roles.ts'
import { action, get, list } from './verbs.ts'

const tenant: Answered<'tenants.get'> = {
  plural: 'tenants',
  columns: [
    textColumn('name', ({ name }) => name),
    membersColumn('users', ({ users }) => users),
    membersColumn('user groups', ({ groups }) => groups),
  ],
}

const tenantOption = (): Option => new Option('-t, --tenant-name <tenant>', 'tenant').makeOptionMandatory()

/** Users and user groups are members of tenants in the same way. */
const kinds = [
  { verb: 'user', noun: 'user', key: 'username', routes: 'tenantUsers' },
  { verb: 'user-group', noun: 'user group', key: 'group_name', routes: 'tenantGroups' },
] as const

const memberVerbs = kinds.flatMap(({ verb, noun, key, routes }): CommandDefinition[] => {
  // The bodies differ in the name of one key, which no type says of both routes at once.
  const body = ([name]: readonly string[], options: Options) =>
    ({ [key]: name, tenant_name: options.text('tenantName'), role: options.text('role') }) as never
  const hasRole = ([name]: readonly string[], options: Options) =>
    `${name} has the role ${options.text('role')} in ${options.text('tenantName')}`
  return [
    action(`${routes}.add`, {
      usage: `add-${verb} <${verb}>`,
      description: `Give a ${noun} a role in a tenant`,
      examples: [`tutti tenants add-${verb} NAME -t web -r user`],
      options: [tenantOption(), tenantRoleOption().default('user')],
      body,
      done: hasRole,
    }),
    action(`${routes}.update`, {
      usage: `update-${verb} <${verb}>`,
      description: `Change the role of a ${noun} in a tenant`,
      examples: [`tutti tenants update-${verb} NAME -t web -r viewer`],
      options: [tenantOption(), tenantRoleOption().makeOptionMandatory()],
      body,
      done: hasRole,
    }),
    action(`${routes}.remove`, {
      usage: `remove-${verb} <${verb}>`,
      description: `Take a ${noun} out of a tenant`,
      examples: [`tutti tenants remove-${verb} NAME -t web`],
      options: [tenantOption()],
      body,
      done: ([name], options) => `${name} is no longer in ${options.text('tenantName')}`,
    }),
  ]
})

export const tenants: Noun = {
  name: 'tenants',
  description: 'Tenants, and who has which role in them',
  commands: [
    list('tenants.list', tenant, {
      description: 'List the tenants that you may enter',
      examples: ['tutti tenants list', 'tutti tenants list --get-data'],
      search: 'their name',
      options: [getDataOption()],
      query: (options) => ({ _get_data: options.flag('getData') }),
    }),
    get('tenants.get', tenant, {
      usage: 'get <tenant>',
      description: 'Show a tenant with its users and user groups',
      examples: ['tutti tenants get web'],
      query: () => ({ _get_data: true }),
    }),
    action('tenants.create', {
      usage: 'create <name>',
      description: 'Create a tenant',
      examples: ['tutti tenants create web'],
      body: () => ({}),
      done: ([name]) => `Tenant ${name} is created. Next: tutti tenants add-user USER -t ${name} -r user`,
    }),
    action('tenants.delete', {
      usage: 'delete <tenant>',
      description: 'Delete a tenant that has no resources, users or groups',
      examples: ['tutti tenants delete web'],
      done: ([name]) => `Tenant ${name} is deleted`,
    }),
    ...memberVerbs,
  ],
}
