import { textColumn } from './columns.ts'
import type { Noun } from './command.ts'
import type { Listed } from './resource.ts'
import { action, list } from './verbs.ts'

const permission: Listed<'permissions.list'> = {
  plural: 'permissions',
  columns: [textColumn('role', ({ role }) => role), textColumn('permission', (row) => row.permission)],
}

export const permissions: Noun = {
  name: 'permissions',
  description: 'Which role may do what',
  commands: [
    list('permissions.list', permission, {
      description: 'List which role holds which permission',
      examples: ['tutti permissions list', 'tutti permissions list --search secret --sort role'],
      search: 'the name of the permission',
    }),
    list('permissions.get', permission, {
      usage: 'get <role>',
      description: 'List the permissions of a role',
      examples: ['tutti permissions get viewer'],
      search: 'the name of the permission',
    }),
    action('permissions.grant', {
      usage: 'grant <role> <permission>',
      description: 'Give a permission to a role',
      examples: ['tutti permissions grant viewer execution_start'],
      done: ([role, name]) => `${role} holds ${name}`,
    }),
    action('permissions.revoke', {
      usage: 'revoke <role> <permission>',
      description: 'Take a permission from a role',
      examples: ['tutti permissions revoke viewer secret_get'],
      done: ([role, name]) => `${role} no longer holds ${name}`,
    }),
  ],
}
