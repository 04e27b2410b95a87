import { secretsProviderTypes } from '@tutti/api'
import { Option } from 'commander'
import type { Context } from '../context.ts'
import { readValues } from '../input/values.ts'
import { jsonColumn, ownerColumns, textColumn, timeColumn } from './columns.ts'
import { type CommandDefinition, type Noun, type Options, repeated } from './command.ts'
import { type Answered, renderOne, withoutHidden } from './resource.ts'
import { action, list } from './verbs.ts'
import { visibilityOption } from './visibility.ts'

// How to log in there.
const hides = ['connection_parameters']

const provider: Answered<'secretsProviders.get'> = {
  plural: 'secrets providers',
  columns: [
    textColumn('name', ({ name }) => name),
    textColumn('type', ({ type }) => type),
    ...ownerColumns,
    timeColumn('created at', ({ created_at: time }) => time),
    timeColumn('updated at', ({ updated_at: time }) => time),
  ],
  hides,
}

const typeOption = (): Option =>
  new Option('-t, --type <type>', 'kind of store').choices(secretsProviderTypes)

const parametersOption = (): Option =>
  repeated(
    '-c, --connection-parameters <name=value|file>',
    'how to log in there: give what is secret in a YAML or JSON file; may be repeated',
  )

const getCommand: CommandDefinition = {
  usage: 'get <secrets-provider>',
  description: 'Show a secrets provider; how to log in there only when asked for',
  examples: ['tutti secrets-providers get vault', 'tutti secrets-providers get vault --show-parameters'],
  options: [new Option('--show-parameters', 'with the connection parameters')],
  run: async ({ client, printer }, [name = ''], options) => {
    const { call } = await client()
    const found = await call('secretsProviders.get', { params: { provider_name: name } })
    const isWanted = options.flag('showParameters')
    const parameters = jsonColumn<typeof found>('connection parameters', (row) => row.connection_parameters)
    const shown = isWanted ? { ...provider, details: [parameters] } : provider
    printer.value(isWanted ? found : withoutHidden(found, hides), renderOne(found, shown, printer.style))
  },
}

export const secretsProviders: Noun = {
  name: 'secrets-providers',
  description: 'Stores of secrets outside of the manager',
  commands: [
    list('secretsProviders.list', provider, {
      description: 'List secrets providers',
      examples: ['tutti secrets-providers list'],
    }),
    getCommand,
    action('secretsProviders.create', {
      usage: 'create <name>',
      description: 'Create a secrets provider',
      examples: ['tutti secrets-providers create vault -t vault -c vault.yaml'],
      options: [typeOption().makeOptionMandatory(), parametersOption(), visibilityOption()],
      body: async ([name], options, context) => ({ ...(await bodyOf(options, context)), name }),
      done: ([name]) => `Secrets provider ${name} is created`,
      hides,
    }),
    action('secretsProviders.update', {
      usage: 'update <secrets-provider>',
      description: 'Change a secrets provider',
      examples: ['tutti secrets-providers update vault -c vault.yaml'],
      options: [typeOption(), parametersOption(), visibilityOption()],
      body: (_args, options, context) => bodyOf(options, context),
      done: ([name]) => `Secrets provider ${name} is changed`,
      hides,
    }),
    action('secretsProviders.create', {
      usage: 'test [secrets-provider]',
      description: 'Look whether a secrets provider, or one with these parameters, can be reached',
      examples: ['tutti secrets-providers test vault', 'tutti secrets-providers test -t vault -c vault.yaml'],
      options: [typeOption(), parametersOption()],
      body: async ([name], options, context) => ({ ...(await bodyOf(options, context)), name, test: true }),
      done: () => 'The secrets provider can be reached',
      hides,
    }),
    action('secretsProviders.delete', {
      usage: 'delete <secrets-provider>',
      description: 'Delete a secrets provider',
      examples: ['tutti secrets-providers delete vault'],
      done: ([name]) => `Secrets provider ${name} is deleted`,
    }),
  ],
}

async function bodyOf(options: Options, { environment }: Context) {
  const given = options.texts('connectionParameters')
  return {
    type: options.text('type'),
    visibility: options.text('visibility'),
    connection_parameters:
      given.length === 0 ? undefined : await readValues(given, environment.workingFolder),
  }
}
