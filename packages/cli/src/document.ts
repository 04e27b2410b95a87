import type { Command } from 'commander'
import { examplesOf } from './commands/command.ts'
import { markdownTable } from './output/markdown.ts'

/** docs/cli.md, made from the commands themselves. */
export function cliDocument(root: Command): string {
  const verbs = visible(root).filter(({ commands }) => commands.length === 0)
  const nouns = visible(root).filter(({ commands }) => commands.length > 0)
  return `# The command line

<!-- Made from packages/cli/src; do not edit. After a change there:
     node scripts/with-node.mjs packages/cli/src/write-document.ts -->

\`tutti\` runs managers and workers, and is a client for everything in the API: a noun, a verb, what it is about.
\`tutti NOUN VERB --help\` shows the options of a command with examples.

- **Where it goes:** \`tutti init\` logs in to a manager and remembers it as a profile; \`--profile\`, \`--url\` and
  \`--tenant\` choose for one command, \`TUTTI_…\` variables for many ([configuration.md](configuration.md)).
- **For programs:** with \`--json\` every command prints the answer of the API, and errors as JSON to standard error.
  The exit code is 0 when it is done, 1 when it failed, 2 when the command line is wrong.
- **Secrets:** passwords, passphrases and values of secrets are asked for without echo. Programs give them with
  \`--password-stdin\` or \`--password-file FILE\` (\`--passphrase-…\`, \`--secret-…\`), rather than on the command line,
  which others on the machine can read. A file or input of one line is taken without its line end. Values are
  printed only when asked for: \`tutti secrets get KEY --value\`.
- **Lists:** \`--search\`, \`--filter field=value\`, \`--sort -field\`, \`--size\` and \`--offset\` work where the manager has them.
- **Ctrl-C** stops following an execution, not the execution; it says how to go on following and how to cancel.

## Completion

Shells complete commands, options, their values, and ids that the manager tells:

\`\`\`text
bash   source <(tutti completion bash)                                        in ~/.bashrc
zsh    source <(tutti completion zsh)                                         in ~/.zshrc, after compinit
fish   tutti completion fish > ~/.config/fish/completions/tutti.fish
\`\`\`

## Commands

${table(verbs)}

${nouns.map(section).join('\n\n')}
`
}

const visible = (command: Command): readonly Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.parent === command)

function section(noun: Command): string {
  const alias = noun.alias()
  const title = alias === undefined ? noun.name() : `${noun.name()}, ${alias}`
  return `### ${title}\n\n${noun.description()}.\n\n${table(leaves(noun))}`
}

const leaves = (command: Command): readonly Command[] =>
  visible(command).flatMap((child) => (child.commands.length === 0 ? [child] : leaves(child)))

function table(commands: readonly Command[]): string {
  const rows = commands.map((command) => [
    `\`${pathOf(command)}${argumentsOf(command)}\``,
    command.description(),
    `\`${examplesOf(command)[0] ?? ''}\``,
  ])
  return markdownTable(['command', 'what it does', 'example'], rows)
}

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`

const argumentsOf = (command: Command): string =>
  command.registeredArguments
    .map((argument) => {
      const name = `${argument.name()}${argument.variadic ? '...' : ''}`
      return argument.required ? ` <${name}>` : ` [${name}]`
    })
    .join('')
