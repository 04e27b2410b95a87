import { statusColour } from '../output/status-colour.ts'
import type { CommandDefinition } from './command.ts'

export const statusCommand: CommandDefinition = {
  usage: 'status',
  description: 'Show whether the manager works; fails when it does not',
  examples: ['tutti status', 'tutti status --json'],
  run: async (context) => {
    const client = await context.client()
    const { url, tenant } = client.connection
    // One after the other: two wrong passwords at once would lock the user twice as soon.
    const version = await client.manager.version()
    const status = await client.manager.status()
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
