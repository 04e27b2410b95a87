import { Option } from 'commander'
import type { Context } from '../context.ts'
import { readTextFile } from '../input/given-file.ts'
import { password, readSecret, secretOptions } from '../input/secret.ts'
import { flagColumn, textColumn } from './columns.ts'
import { type CommandDefinition, counted, type Noun, type Options } from './command.ts'
import type { Answered } from './resource.ts'
import { action } from './verbs.ts'

const settings: Answered<'ldap.set'> = {
  plural: 'settings',
  columns: [
    textColumn('server', (row) => row.ldap_server),
    textColumn('domain', (row) => row.ldap_domain),
    textColumn('user', (row) => row.ldap_username),
    flagColumn('Active Directory', (row) => row.ldap_is_active_directory),
    textColumn('base DN', (row) => row.ldap_base_dn),
    textColumn('nested levels', (row) => row.ldap_nested_levels),
  ],
}

/** Options whose value goes as it is into the field `ldap_…` of the same name. */
const plainOptions = [
  ['--ldap-dn-extra <dn>', 'put before the base DN of users'],
  [
    '--ldap-bind-format <format>',
    'how a user logs in there, with {username}, {base_dn}, {domain_dn}, {domain}',
  ],
  ['--ldap-base-dn <dn>', 'where users and groups are (default: made of the domain)'],
  ['--ldap-group-dn <dn>', 'where groups are'],
  ['--ldap-user-filter <filter>', 'how a user is found, with {username}'],
  ['--ldap-group-member-filter <filter>', 'how the groups of a user are found, with {object_dn}'],
  ['--ldap-attribute-uid <name>', 'attribute with the name of a user'],
  ['--ldap-attribute-email <name>', 'attribute with the e-mail address'],
  ['--ldap-attribute-first-name <name>', 'attribute with the first name'],
  ['--ldap-attribute-last-name <name>', 'attribute with the last name'],
  ['--ldap-attribute-group-membership <name>', 'attribute with the groups'],
] as const

const status: CommandDefinition = {
  usage: 'status',
  description: 'Show whether users log in through a directory',
  examples: ['tutti ldap status'],
  run: async ({ client, printer }) => {
    const { call } = await client()
    const state = await call('ldap.get')
    printer.value(state, `LDAP is ${state}`)
  },
}

export const ldap: Noun = {
  name: 'ldap',
  description: 'Logging in through an LDAP directory',
  commands: [
    status,
    action('ldap.set', {
      usage: 'set',
      description:
        'Let users log in through a directory; asks for the password of the user that looks things up',
      examples: [
        'tutti ldap set -s ldaps://ldap.example.org -d example.org --ldap-ca-path ca.pem',
        'tutti ldap set -s ldap://ldap.example.org -d example.org -u reader --password-file reader.txt -a',
      ],
      options: [
        new Option(
          '-s, --ldap-server <url>',
          'ldap://, ldaps:// or ldap+starttls:// and the host',
        ).makeOptionMandatory(),
        new Option('-d, --ldap-domain <domain>', 'domain of its users').makeOptionMandatory(),
        new Option('-u, --ldap-username <name>', 'user that looks users and groups up'),
        ...secretOptions(password),
        new Option('-a, --ldap-is-active-directory', 'it is an Active Directory'),
        new Option('--ldap-ca-path <file>', 'certificate that vouches for the server'),
        counted('--ldap-nested-levels <count>', 'how deep groups are in groups (default: 1)'),
        ...plainOptions.map(([flags, description]) => new Option(flags, description)),
      ],
      body: (_args, options, context) => bodyOf(options, context),
      done: () => 'Users log in through the directory. Next: tutti user-groups create NAME -l DN',
      shows: settings,
    }),
    action('ldap.remove', {
      usage: 'remove',
      description: 'Let users log in with passwords of the manager again',
      examples: ['tutti ldap remove'],
      done: () => 'Users log in with passwords of the manager',
    }),
  ],
}

async function bodyOf(options: Options, context: Context) {
  const username = options.text('ldapUsername')
  const question = { question: `Password of ${username} in the directory`, isNew: false }
  const caPath = options.text('ldapCaPath')
  const levels = options.text('ldapNestedLevels')
  const plain = plainOptions.map(([flags]) => {
    const option = new Option(flags)
    return [option.name().replaceAll('-', '_'), options.text(option.attributeName())]
  })
  return {
    ...Object.fromEntries(plain),
    ldap_server: options.required('ldapServer'),
    ldap_domain: options.required('ldapDomain'),
    ldap_username: username,
    ldap_password:
      username === undefined ? undefined : await readSecret(context, options, password, question),
    ldap_is_active_directory: options.flag('ldapIsActiveDirectory'),
    ldap_ca_cert:
      caPath === undefined ? undefined : await readTextFile(context.environment.workingFolder, caPath),
    ldap_nested_levels: levels === undefined ? undefined : Number(levels),
  }
}
