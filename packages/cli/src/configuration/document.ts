import { markdownTable } from '../output/markdown.ts'
import type { Setting } from './setting.ts'
import { settingNames, settings } from './settings.ts'

/** docs/configuration.md, made from the table of settings. */
export function configurationDocument(): string {
  return `# Configuration

<!-- Made from packages/cli/src/configuration/settings.ts; do not edit. After a change there:
     node scripts/with-node.mjs packages/cli/src/configuration/write-document.ts -->

A setting comes from its flag, else its environment variable, else the configuration file, else its default.
\`tutti config\` prints what is in effect and where it comes from.

The configuration file is \`config.json\` in \`$TUTTI_CONFIG_FOLDER\`, else in \`$XDG_CONFIG_HOME/tutti\`, else in
\`~/.config/tutti\`. It is a JSON object of setting names:

\`\`\`json
{ "port": 8080, "dataFolder": "/var/lib/tutti" }
\`\`\`

## Server

For \`tutti serve\` and \`tutti worker\`. Secrets have no flag, because others on the machine can see command lines.

${table('server')}

## Client

For all other commands.

${table('client')}
`
}

const titles = ['setting', 'flag', 'environment', 'default', 'meaning']

function table(part: 'server' | 'client'): string {
  const rows = settingNames
    .map((name): readonly [string, Setting<unknown>] => [name, settings[name]])
    .filter(([, setting]) => setting.part === part)
    .map(([name, setting]) => [
      `\`${name}\``,
      setting.flag === undefined ? '' : `\`${setting.flag} ${setting.placeholder}\``,
      `\`${setting.variable}\``,
      defaultOf(setting),
      setting.description,
    ])
  return markdownTable(titles, rows)
}

function defaultOf({ default: value, defaultText }: Setting<unknown>): string {
  if (defaultText !== undefined) return defaultText
  return value === undefined || value === '' ? 'none' : `\`${value}\``
}
