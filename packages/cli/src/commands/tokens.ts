import { Option } from 'commander'
import { textColumn, timeColumn } from './columns.ts'
import type { Noun } from './command.ts'
import type { Answered } from './resource.ts'
import { action, get, list } from './verbs.ts'

const token: Answered<'tokens.get'> = {
  plural: 'tokens',
  columns: [
    textColumn('id', ({ id }) => id),
    textColumn('user', ({ username }) => username),
    textColumn('role', ({ role }) => role),
    textColumn('description', ({ description }) => description),
    timeColumn('expires', ({ expiration_date: time }) => time),
    timeColumn('last used', ({ last_used: time }) => time),
  ],
}

/** The only time that the manager says the value. */
const freshToken: Answered<'tokens.create'> = {
  plural: 'tokens',
  columns: [
    textColumn('id', ({ id }) => id),
    textColumn('value', ({ value }) => value),
    timeColumn('expires', ({ expiration_date: time }) => time),
  ],
}

export const tokens: Noun = {
  name: 'tokens',
  description: 'Tokens that log in in place of a password',
  commands: [
    list('tokens.list', token, {
      description: 'List tokens: yours, or all where you may manage those of others',
      examples: ['tutti tokens list'],
    }),
    get('tokens.get', token, {
      usage: 'get <token>',
      description: 'Show a token, without its value',
      examples: ['tutti tokens get k3J9xQ0aZb'],
    }),
    action('tokens.create', {
      usage: 'create',
      description: 'Create a token of yours and print it; nobody can see its value again',
      examples: [
        'tutti tokens create --description "build server" --expiry +30days',
        'TUTTI_TOKEN=$(tutti tokens create --json | jq -r .value)',
      ],
      options: [
        new Option('--description <text>', 'what it is for'),
        new Option('--expiry <time>', 'when it ends, as +10h, +30days or 2027-01-31 12:00 (default: never)'),
      ],
      body: (_args, options) => ({
        description: options.text('description'),
        expiration_date: options.text('expiry'),
      }),
      done: () => 'The token is created. Keep its value now: it is not shown again.',
      shows: freshToken,
    }),
    action('tokens.delete', {
      usage: 'delete <token>',
      description: 'Delete a token; who uses it is logged out',
      examples: ['tutti tokens delete k3J9xQ0aZb'],
      done: ([id]) => `Token ${id} is deleted`,
    }),
  ],
}
