import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Option } from 'commander'
import type { Context } from '../context.ts'
import { UsageError } from '../errors/usage-error.ts'
import { readTextFile } from '../input/given-file.ts'
import { givenSecret, passphrase, readSecret, secretOptions, secretValue } from '../input/secret.ts'
import { parseValue, readValues } from '../input/values.ts'
import { flagColumn, jsonColumn, jsonText, ownerColumns, textColumn, timeColumn } from './columns.ts'
import { type CommandDefinition, type Noun, type Options, repeated } from './command.ts'
import { type Answered, type Listed, renderOne, withoutHidden } from './resource.ts'
import { action, allTenantsOption, list } from './verbs.ts'
import { visibilityOption, visibilityVerbs } from './visibility.ts'

const listed: Listed<'secrets.list'> = {
  plural: 'secrets',
  columns: [
    textColumn('key', ({ key }) => key),
    flagColumn('hidden', ({ is_hidden_value: isHidden }) => isHidden),
    textColumn('provider', ({ provider_name: provider }) => provider),
    ...ownerColumns,
    timeColumn('created at', ({ created_at: time }) => time),
    timeColumn('updated at', ({ updated_at: time }) => time),
    textColumn('created by', ({ created_by: user }) => user),
  ],
}

// Writes answer with the ciphertext, and reads with the value.
const hides = ['value']

const secret: Answered<'secrets.get'> = {
  ...listed,
  details: [
    jsonColumn('schema', ({ schema }) => schema),
    jsonColumn('provider options', ({ provider_options: options }) => options),
  ],
}

const getCommand: CommandDefinition = {
  usage: 'get <secret>',
  description: 'Show a secret; its value only when asked for',
  examples: ['tutti secrets get db_password', 'tutti secrets get db_password --value'],
  options: [new Option('--value', 'print the value, and nothing else')],
  run: async ({ client, printer }, [key = ''], options) => {
    const { call } = await client()
    const isWanted = options.flag('value')
    const found = await call('secrets.get', {
      params: { secret_key: key },
      query: { _skip_value: !isWanted },
    })
    if (!isWanted) {
      printer.value(withoutHidden(found, hides), renderOne(found, secret, printer.style))
      return
    }
    // With its line end or without: a file has the same bytes again.
    printer.value(found, jsonText(found.value).replace(/\n$/, ''))
  },
}

const valueOptions = (): readonly Option[] => [
  ...secretOptions(secretValue),
  visibilityOption(),
  new Option('--hidden-value', 'only you and administrators can read the value'),
  new Option('--provider <secrets-provider>', 'where the value is kept'),
  repeated('--provider-options <name=value|file>', 'what the provider needs to find it; may be repeated'),
]

const exportCommand: CommandDefinition = {
  usage: 'export',
  description: 'Write secrets with their values to a file, encrypted under a passphrase',
  examples: [
    'tutti secrets export -o secrets.json',
    'tutti secrets export -o secrets.json --all-tenants --passphrase-file passphrase.txt',
  ],
  options: [
    new Option('-o, --output-path <file>', 'file to write; it must not exist').makeOptionMandatory(),
    ...secretOptions(passphrase),
    new Option('--non-encrypted', 'write the values as they are'),
    new Option('--search <text>', 'only those with this in their key'),
    visibilityOption(),
    allTenantsOption(),
  ],
  run: async (context, _args, options) => {
    const file = resolve(context.environment.workingFolder, options.required('outputPath'))
    const phrase = options.flag('nonEncrypted')
      ? undefined
      : await readSecret(context, options, passphrase, { question: 'New passphrase', isNew: true })
    if (phrase !== undefined && phrase.length < 8) {
      throw new UsageError('The passphrase has less than 8 characters', 'Take a longer one')
    }
    const { call } = await context.client()
    const secrets = await call('secrets.export', {
      query: {
        _passphrase: phrase,
        visibility: options.text('visibility'),
        _search: options.text('search'),
        _all_tenants: options.flag('allTenants'),
      },
    })
    await writeFile(file, `${JSON.stringify(secrets, null, 2)}\n`, { flag: 'wx', mode: 0o600 })
    context.printer.value({ file, count: secrets.length }, `${secrets.length} secrets are in ${file}`)
  },
}

const importCommand: CommandDefinition = {
  usage: 'import',
  description: 'Create the secrets of an export; fails when one of them is not imported',
  examples: [
    'tutti secrets import -i secrets.json',
    'tutti secrets import -i secrets.json -m staging=production --override',
  ],
  options: [
    new Option('-i, --input-path <file>', 'what an export wrote').makeOptionMandatory(),
    ...secretOptions(passphrase),
    repeated('-m, --tenant-map <from=to|file>', 'tenant to import into in place of another; may be repeated'),
    new Option('--override', 'give secrets that exist the value of the export'),
  ],
  run: importSecrets,
}

async function importSecrets(context: Context, _args: readonly string[], options: Options): Promise<number> {
  const { workingFolder } = context.environment
  const secrets = await readExport(workingFolder, options.required('inputPath'))
  const tenants = await readValues(options.texts('tenantMap'), workingFolder)
  const isEncrypted = secrets.some(
    (one) => typeof one === 'object' && one !== null && 'encrypted' in one && one.encrypted === true,
  )
  const phrase = isEncrypted
    ? await readSecret(context, options, passphrase, { question: 'Passphrase', isNew: false })
    : undefined
  const { call } = await context.client()
  const answer = await call('secrets.import', {
    body: {
      secrets_list: secrets,
      override_collisions: options.flag('override'),
      tenant_map: Object.fromEntries(Object.entries(tenants).map(([from, to]) => [from, String(to)])),
      ...(phrase === undefined ? {} : { passphrase: phrase }),
    },
  })
  const errors = Object.entries(answer.secrets_errors)
  const collisions = Object.entries(answer.colliding_secrets)
  const isKept = options.flag('override') ? 'existed and have the new value' : 'existed and are as they were'
  const lines = [
    ...collisions.map(([tenant, keys]) => `  ${tenant}: ${keys.join(', ')} ${isKept}`),
    ...errors.map(
      ([index, reasons]) => `  entry ${index} is not imported: ${Object.values(reasons).join('; ')}`,
    ),
  ]
  const imported = secrets.length - errors.length
  context.printer.value(answer, [`${imported} of ${secrets.length} secrets are read`, ...lines].join('\n'))
  return errors.length === 0 ? 0 : 1
}

async function readExport(workingFolder: string, file: string): Promise<unknown[]> {
  const value = parseValue(await readTextFile(workingFolder, file))
  if (Array.isArray(value)) return value
  throw new UsageError(`${file} is not what \`tutti secrets export\` writes`, 'It must hold a JSON list')
}

export const secrets: Noun = {
  name: 'secrets',
  description: 'Secrets that blueprints read',
  commands: [
    list('secrets.list', listed, {
      description: 'List secrets, without their values',
      examples: ['tutti secrets list', 'tutti secrets list --search db --all-tenants'],
      search: 'their key',
      options: [new Option('--provider <secrets-provider>', 'only those that are kept there')],
      query: (options) => ({ provider_name: options.text('provider') }),
    }),
    getCommand,
    action('secrets.create', {
      usage: 'create <key>',
      description: 'Create a secret; asks for the value where no option gives it',
      examples: [
        'tutti secrets create db_password',
        'tutti secrets create agent_key -f ~/.ssh/id_ed25519 --hidden-value',
        'pass show db | tutti secrets create db_password --secret-stdin -u',
      ],
      options: [
        ...valueOptions(),
        new Option('-u, --update-if-exists', 'give a secret that exists the new value'),
        new Option('--schema <json|file>', 'JSON schema that the value fits'),
      ],
      body: async ([key], options, context) => {
        const provider = options.text('provider')
        const schema = await readSchema(context, options.text('schema'))
        const asked = { question: `Value of ${key}`, isNew: false }
        const value =
          provider === undefined
            ? await readSecret(context, options, secretValue, asked)
            : ((await givenSecret(context, options, secretValue)) ?? '')
        return {
          ...(await commonBody(options, context)),
          value: schema === undefined ? value : parseValue(value),
          schema,
          update_if_exists: options.flag('updateIfExists'),
        }
      },
      done: ([key]) => `Secret ${key} is created`,
      hides,
    }),
    action('secrets.update', {
      usage: 'update <secret>',
      description: 'Change a secret; asks for a value where no option says what to change',
      examples: ['tutti secrets update db_password', 'tutti secrets update db_password --not-hidden-value'],
      options: [
        ...valueOptions(),
        new Option('--not-hidden-value', 'everybody who sees it can read the value').conflicts('hiddenValue'),
      ],
      body: async ([key], options, context) => {
        const body = await commonBody(options, context)
        const shown = options.flag('notHiddenValue') ? false : body.is_hidden_value
        const isOther = Object.values({ ...body, shown }).some((value) => value !== undefined)
        const asked = { question: `New value of ${key}`, isNew: false }
        const value = isOther
          ? await givenSecret(context, options, secretValue)
          : await readSecret(context, options, secretValue, asked)
        return { ...body, is_hidden_value: shown, value }
      },
      done: ([key]) => `Secret ${key} is changed`,
      hides,
    }),
    action('secrets.update', {
      usage: 'set-owner <secret>',
      description: 'Give a secret to another user',
      examples: ['tutti secrets set-owner db_password -s alice'],
      options: [new Option('-s, --username <user>', 'new owner').makeOptionMandatory()],
      body: (_args, options) => ({ creator: options.required('username') }),
      done: ([key], options) => `Secret ${key} belongs to ${options.text('username')}`,
      hides,
    }),
    action('secrets.delete', {
      usage: 'delete <secret>',
      description: 'Delete a secret',
      examples: ['tutti secrets delete db_password'],
      done: ([key]) => `Secret ${key} is deleted`,
    }),
    ...visibilityVerbs('secrets.setVisibility', 'secret', hides),
    exportCommand,
    importCommand,
  ],
}

async function commonBody(options: Options, { environment }: Context) {
  const given = options.texts('providerOptions')
  return {
    visibility: options.text('visibility'),
    is_hidden_value: options.flag('hiddenValue') ? true : undefined,
    provider_name: options.text('provider'),
    provider_options: given.length === 0 ? undefined : await readValues(given, environment.workingFolder),
  }
}

/** A JSON schema: as JSON on the command line, or in a YAML or JSON file. */
async function readSchema({ environment }: Context, given: string | undefined) {
  if (given === undefined) return undefined
  const value = parseValue(given)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? { ...value } : readValues([given], environment.workingFolder)
}
