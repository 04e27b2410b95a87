import { version } from '../version.ts'
import type { CommandDefinition } from './command.ts'

export const versionCommand: CommandDefinition = {
  usage: 'version',
  description: 'Show the version of this program and of the manager',
  examples: ['tutti version', 'tutti version --json'],
  run: async ({ client, printer }) => {
    const { call, connection } = await client()
    const manager = await call('version.get')
    printer.value(
      { client: { version }, manager: { url: connection.url, ...manager } },
      `tutti ${version}\nmanager ${manager.version} (${manager.edition}) at ${connection.url}`,
    )
  },
}
