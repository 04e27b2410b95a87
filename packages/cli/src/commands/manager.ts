import { configurationFile } from '../configuration/folder.ts'
import { settings } from '../configuration/settings.ts'
import { statusColour } from '../output/status-colour.ts'
import { renderTable } from '../output/table.ts'
import { type CommandDefinition, settingOptions } from './command.ts'

export const statusCommand: CommandDefinition = {
  usage: 'status',
  description: 'Show whether the manager works; fails when it does not',
  examples: ['tutti status', 'tutti status --json'],
  run: async (context) => {
    const client = await context.client()
    const { url, tenant } = client.connection
    const [version, status] = await Promise.all([client.manager.version(), client.manager.status()])
    const { style } = context.printer
    const paint = (text: string) => style(statusColour(text), text)
    const services = Object.entries(status.services).map(
      ([name, service]) => `  ${paint(service.status.padEnd(8))}  ${name}`,
    )
    context.printer.value(
      { url, tenant, version, status },
      [`${paint(status.status)}  ${url}  version ${version.version}, tenant ${tenant}`, ...services].join(
        '\n',
      ),
    )
    return status.status === 'OK' ? 0 : 1
  },
}

export const configCommand: CommandDefinition = {
  usage: 'config',
  description: 'Print the settings in effect and where each comes from',
  examples: ['tutti config', 'TUTTI_PORT=9000 tutti config --json'],
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
