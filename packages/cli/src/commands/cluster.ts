import { statusColour } from '../output/status-colour.ts'
import { flagColumn, textColumn, timeColumn } from './columns.ts'
import { type CommandDefinition, counted, type Noun } from './command.ts'
import type { Answered, Listed } from './resource.ts'
import { action, get, list } from './verbs.ts'

const manager: Answered<'managers.get'> = {
  plural: 'managers',
  columns: [
    textColumn('hostname', ({ hostname }) => hostname),
    textColumn('private address', ({ private_ip: address }) => address),
    textColumn('public address', ({ public_ip: address }) => address),
    textColumn('version', ({ version }) => version),
    timeColumn('last seen', ({ last_seen: time }) => time),
  ],
  details: [
    textColumn('edition', ({ edition }) => edition),
    textColumn('distribution', (row) => `${row.distribution} ${row.distro_release}`.trim()),
  ],
}

const broker: Listed<'brokers.list'> = {
  plural: 'brokers',
  columns: [
    textColumn('name', ({ name }) => name),
    textColumn('host', ({ host }) => host),
    textColumn('port', ({ port }) => port),
    flagColumn('external', ({ is_external: isExternal }) => isExternal),
  ],
}

const dbNode: Listed<'dbNodes.list'> = {
  plural: 'database nodes',
  columns: [
    textColumn('name', ({ name }) => name),
    textColumn('host', ({ host }) => host),
    flagColumn('external', ({ is_external: isExternal }) => isExternal),
  ],
}

const status: CommandDefinition = {
  usage: 'status',
  description: 'Show how every node of the cluster is; fails when the cluster does',
  examples: ['tutti cluster status', 'tutti cluster status --json'],
  run: async ({ client, printer }) => {
    const { call } = await client()
    const found = await call('clusterStatus.get')
    const rows = Object.entries(found.services).flatMap(([type, service]) =>
      Object.entries(service.nodes ?? {}).map(([name, node]) => ({ type, name, node })),
    )
    const { style } = printer
    const summary = `cluster ${style(statusColour(found.status), found.status)}`
    const lines = rows.map(({ type, name, node }) => {
      const failures = node.failures.map((failure) => `\n    ${failure}`).join('')
      return `  ${style(statusColour(node.status), node.status.padEnd(8))}  ${type} ${name}${failures}`
    })
    printer.value(found, [summary, ...lines].join('\n'))
    return found.status === 'Fail' ? 1 : 0
  },
}

export const cluster: Noun = {
  name: 'cluster',
  description: 'The managers, brokers and database nodes that work together',
  commands: [status],
  nouns: [
    {
      name: 'managers',
      description: 'Managers; each that is started adds itself',
      commands: [
        list('managers.list', manager, {
          description: 'List managers',
          examples: ['tutti cluster managers list'],
        }),
        get('managers.get', manager, {
          usage: 'get <manager>',
          description: 'Show a manager',
          examples: ['tutti cluster managers get tutti-1'],
        }),
        action('managers.delete', {
          usage: 'remove <manager>',
          description: 'Take a manager that is gone out of the cluster',
          examples: ['tutti cluster managers remove tutti-1'],
          done: ([hostname]) => `Manager ${hostname} is out of the cluster until it is started again`,
        }),
      ],
    },
    {
      name: 'brokers',
      description: 'Message brokers that older clients ask for',
      commands: [
        list('brokers.list', broker, {
          description: 'List brokers',
          examples: ['tutti cluster brokers list'],
        }),
        action('brokers.create', {
          usage: 'add <name> <address>',
          description: 'Add a broker',
          examples: ['tutti cluster brokers add rabbit-1 10.0.0.5 --port 5671'],
          options: [counted('--port <port>', 'port that it listens on (default: 5671)')],
          body: ([name = '', address = ''], options) => {
            const port = options.text('port')
            return { name, address, port: port === undefined ? undefined : Number(port) }
          },
          done: ([name]) => `Broker ${name} is added`,
        }),
        action('brokers.delete', {
          usage: 'remove <broker>',
          description: 'Remove a broker that was added',
          examples: ['tutti cluster brokers remove rabbit-1'],
          done: ([name]) => `Broker ${name} is removed`,
        }),
      ],
    },
    {
      name: 'db-nodes',
      description: 'Database nodes',
      commands: [
        list('dbNodes.list', dbNode, {
          description: 'List database nodes',
          examples: ['tutti cluster db-nodes list'],
        }),
        action('dbNodes.update', {
          usage: 'update',
          description: 'Look again which database nodes there are',
          examples: ['tutti cluster db-nodes update'],
          body: () => ({ action: 'update' }),
          done: (_args, _options, { items }) =>
            `There are ${items.length}: ${items.map(({ name }) => name).join(', ')}`,
        }),
      ],
    },
  ],
}
