import { Command, Option } from 'commander'
import { blueprints } from './commands/blueprints.ts'
import {
  addCommand,
  addNoun,
  type CommandDefinition,
  examplesText,
  type Noun,
  type Program,
  settingOptions,
} from './commands/command.ts'
import { deployments } from './commands/deployments.ts'
import { events } from './commands/events.ts'
import { executions } from './commands/executions.ts'
import { installCommand, uninstallCommand } from './commands/install.ts'
import { configCommand, statusCommand } from './commands/manager.ts'
import { initCommand, profiles } from './commands/profiles.ts'
import { serveCommand, workerCommand } from './commands/serve.ts'
import { nodeInstances, nodes } from './commands/topology.ts'

/** Verbs without a noun. */
const commands: readonly CommandDefinition[] = [
  serveCommand,
  workerCommand,
  installCommand,
  uninstallCommand,
  statusCommand,
  configCommand,
  initCommand,
]

export const nouns: readonly Noun[] = [
  profiles,
  blueprints,
  deployments,
  executions,
  events,
  nodes,
  nodeInstances,
]

/** The command line: nouns and verbs of the API (design/style.md). */
export function createProgram(program: Program, version: string): Command {
  const { stdout, stderr } = program.environment
  const root = new Command('tutti')
    .description(
      'Tutti stores blueprints, creates deployments from them and runs workflows on them, durably.',
    )
    .version(version)
    .addOption(new Option('--json', 'print JSON for programs'))
    .helpCommand('help [command]', 'show the help of a command')
    .showHelpAfterError('(see --help for how to write it)')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .configureOutput({
      writeOut: stdout.write,
      writeErr: stderr.write,
      getOutHelpWidth: () => stdout.columns ?? 100,
      getErrHelpWidth: () => stderr.columns ?? 100,
    })
    .exitOverride()
    .addHelpText(
      'after',
      examplesText([
        'tutti serve',
        'tutti install ./web',
        'tutti executions list -d web',
        'tutti uninstall web',
      ]),
    )
  for (const option of settingOptions('client')) root.addOption(option)

  for (const command of commands) addCommand(root, program, command)
  for (const noun of nouns) addNoun(root, program, noun)
  return root
}
