import { Option } from 'commander'
import { configurationFile } from '../configuration/folder.ts'
import { settings } from '../configuration/settings.ts'
import { UsageError } from '../errors/usage-error.ts'
import { readValues } from '../input/values.ts'
import { renderTable } from '../output/table.ts'
import { flagColumn, jsonColumn, textColumn, timeColumn } from './columns.ts'
import { type CommandDefinition, type Noun, repeated, settingOptions } from './command.ts'
import type { Answered } from './resource.ts'
import { get } from './verbs.ts'

const setting: Answered<'config.get'> = {
  plural: 'settings',
  columns: [
    textColumn('name', ({ name }) => name),
    jsonColumn('value', ({ value }) => value),
    textColumn('scope', ({ scope }) => (typeof scope === 'string' ? scope : scope.join(', '))),
    flagColumn('editable', ({ is_editable: isEditable }) => isEditable),
    timeColumn('changed at', ({ updated_at: time }) => time),
    textColumn('changed by', ({ updater_name: user }) => user),
  ],
  details: [jsonColumn('schema', ({ schema }) => schema)],
}

const show: CommandDefinition = {
  usage: 'show',
  isDefault: true,
  description: 'Print the settings of this program in effect and where each comes from',
  examples: ['tutti config show', 'TUTTI_PORT=9000 tutti config show --json'],
  options: settingOptions('server'),
  run: async ({ configuration, environment, printer }) => {
    const { effective } = await configuration()
    const rows = effective.map(({ name, written, source }) => ({
      name,
      value: written !== undefined && settings[name].isSecret ? '********' : (written ?? null),
      source,
    }))
    const table = renderTable(
      [
        { title: 'SETTING', value: ({ name }) => name },
        { title: 'VALUE', value: ({ value, name }) => value ?? unset(name) },
        { title: 'SOURCE', value: ({ source }) => source },
      ],
      rows,
      environment.stdout.columns,
    )
    const byName = Object.fromEntries(rows.map(({ name, value, source }) => [name, { value, source }]))
    printer.value(byName, `${table}\n\nConfiguration file: ${configurationFile(environment)}`)
  },
}

function unset(name: keyof typeof settings): string {
  const setting = settings[name]
  return 'defaultText' in setting ? `(${setting.defaultText})` : ''
}

export const config: Noun = {
  name: 'config',
  description: 'Settings of this program (alone, or show) and of the manager (list, get, update)',
  commands: [
    show,
    {
      usage: 'list',
      description: 'List the settings of the manager',
      examples: ['tutti config list', 'tutti config list --scope workflow'],
      options: [
        new Option('--scope <scope>', 'only those of this scope: rest, mgmtworker, agent, workflow …'),
      ],
      run: async ({ client, printer }, _args, options) => {
        const { call } = await client()
        const { items } = await call('config.list', { query: { scope: options.text('scope') } })
        const pagination = { total: items.length, offset: 0, size: items.length }
        printer.list({ items, metadata: { pagination } }, setting.columns, setting.plural)
      },
    },
    get('config.get', setting, {
      usage: 'get <setting>',
      description: 'Show a setting of the manager, by its name or as scope.name',
      examples: ['tutti config get task_retries'],
    }),
    {
      usage: 'update [name=value...]',
      description: 'Change settings of the manager; they take effect at once',
      examples: [
        'tutti config update task_retries=5',
        'tutti config update max_workers=10 workflow.task_retry_interval=30',
      ],
      options: [
        repeated(
          '-i, --inputs <name=value|file>',
          'setting, or a YAML or JSON file of them; may be repeated',
        ),
        new Option('--force', 'even settings that are not meant to be changed'),
      ],
      run: async ({ client, environment, printer }, args, options) => {
        const values = await readValues([...args, ...options.texts('inputs')], environment.workingFolder)
        const changes = Object.entries(values)
        if (changes.length === 0) throw new UsageError('Say what to change: name=value')
        const { call } = await client()
        const items = []
        for (const [name, value] of changes) {
          items.push(
            await call('config.set', { params: { name }, body: { value, force: options.flag('force') } }),
          )
        }
        const pagination = { total: items.length, offset: 0, size: items.length }
        printer.list({ items, metadata: { pagination } }, setting.columns, setting.plural)
      },
    },
  ],
}
