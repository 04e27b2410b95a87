import { Command, Option } from 'commander'
import { addBlueprintCommands } from './commands/blueprints.ts'
import { examplesText, type Program, settingOptions } from './commands/command.ts'
import { addDeploymentCommands } from './commands/deployments.ts'
import { addEventCommands } from './commands/events.ts'
import { addExecutionCommands } from './commands/executions.ts'
import { addInstallCommands } from './commands/install.ts'
import { addManagerCommands } from './commands/manager.ts'
import { addProfileCommands } from './commands/profiles.ts'
import { addServerCommands } from './commands/serve.ts'
import { addTopologyCommands } from './commands/topology.ts'

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

  addServerCommands(root, program)
  addInstallCommands(root, program)
  addManagerCommands(root, program)
  addProfileCommands(root, program)
  addBlueprintCommands(root, program)
  addDeploymentCommands(root, program)
  addExecutionCommands(root, program)
  addEventCommands(root, program)
  addTopologyCommands(root, program)
  return root
}
