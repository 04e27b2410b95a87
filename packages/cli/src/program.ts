import { Command, Option } from 'commander'
import { agents } from './commands/agents.ts'
import { auditLog } from './commands/audit-log.ts'
import { blueprints } from './commands/blueprints.ts'
import { cluster } from './commands/cluster.ts'
import {
  addCommand,
  addNoun,
  type CommandDefinition,
  examplesText,
  type Noun,
  type Program,
  settingOptions,
} from './commands/command.ts'
import { config } from './commands/config.ts'
import { deploymentGroups } from './commands/deployment-groups.ts'
import { deployments } from './commands/deployments.ts'
import { events } from './commands/events.ts'
import { executionGroups } from './commands/execution-groups.ts'
import { executions } from './commands/executions.ts'
import { installCommand, uninstallCommand } from './commands/install.ts'
import { ldap } from './commands/ldap.ts'
import { licenses } from './commands/license.ts'
import { maintenanceMode } from './commands/maintenance-mode.ts'
import { modifications } from './commands/modifications.ts'
import { permissions } from './commands/permissions.ts'
import { plugins } from './commands/plugins.ts'
import { initCommand, profiles } from './commands/profiles.ts'
import { providerContext } from './commands/provider-context.ts'
import { secrets } from './commands/secrets.ts'
import { secretsProviders } from './commands/secrets-providers.ts'
import { rotateKeyCommand, serveCommand, workerCommand } from './commands/serve.ts'
import { sites } from './commands/sites.ts'
import { statusCommand } from './commands/status.ts'
import { tenants } from './commands/tenants.ts'
import { tokens } from './commands/tokens.ts'
import { nodeInstances, nodes } from './commands/topology.ts'
import { userGroups } from './commands/user-groups.ts'
import { users } from './commands/users.ts'
import { versionCommand } from './commands/version.ts'
import { capabilities, scalingGroups } from './commands/within.ts'
import { workflows } from './commands/workflows.ts'
import { completeCommand, completionCommand } from './completion/commands.ts'

/** Verbs without a noun. */
const commands: readonly CommandDefinition[] = [
  serveCommand,
  workerCommand,
  rotateKeyCommand,
  installCommand,
  uninstallCommand,
  statusCommand,
  versionCommand,
  initCommand,
  completionCommand,
]

export const nouns: readonly Noun[] = [
  profiles,
  blueprints,
  plugins,
  deployments,
  workflows,
  deploymentGroups,
  modifications,
  executions,
  executionGroups,
  events,
  nodes,
  nodeInstances,
  capabilities,
  scalingGroups,
  agents,
  secrets,
  secretsProviders,
  sites,
  tenants,
  users,
  userGroups,
  tokens,
  ldap,
  permissions,
  auditLog,
  config,
  providerContext,
  maintenanceMode,
  cluster,
  licenses,
]

/** The command line: nouns and verbs of the API. */
export function createProgram(program: Program, version: string): Command {
  const { stdout, stderr } = program.environment
  const root = new Command('tutti')
    .description(
      'Tutti stores blueprints, creates deployments from them and runs workflows on them, durably.',
    )
    .version(version)
    .addOption(new Option('--json', 'print JSON for programs'))
    .helpCommand('help [command]', 'show the help of a command')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .configureOutput({
      writeOut: stdout.write,
      writeErr: stderr.write,
      // `run` reports all errors in one way, with --json as JSON.
      outputError: () => {},
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
  root.commandsGroup('What there is, each with verbs of its own:')
  for (const noun of nouns) addNoun(root, program, noun)
  addCommand(root, program, completeCommand(root))
  return root
}
