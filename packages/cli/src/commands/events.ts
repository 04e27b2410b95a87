import { Option } from 'commander'
import type { Context } from '../context.ts'
import { UsageError } from '../errors/usage-error.ts'
import { renderEvent } from '../output/event-line.ts'
import { counted, type Noun, type Options } from './command.ts'

export const events: Noun = {
  name: 'events',
  description: 'Events and logs of executions',
  commands: [
    {
      usage: 'list',
      description: 'List events and logs, oldest first',
      examples: [
        'tutti events list -e EXECUTION',
        'tutti events list -d web-1 --tail 50',
        'tutti events list -d web-1 --no-logs --json',
      ],
      options: [
        new Option('-e, --execution-id <execution>', 'only those of this execution'),
        new Option('-d, --deployment-id <deployment>', 'only those of this deployment'),
        new Option('--node-instance-id <node-instance>', 'only those of this node instance'),
        new Option('--level <level>', 'only logs of this level'),
        new Option('--message <pattern>', 'only those whose message fits; % stands for anything'),
        new Option('--since <time>', 'only those from this time on'),
        new Option('--until <time>', 'only those before this time'),
        new Option('--no-logs', 'only events'),
        counted('--tail <count>', 'only the last so many').default('1000'),
      ],
      run: listEvents,
    },
    {
      usage: 'delete <deployment>',
      description: 'Delete the events and logs of a deployment',
      examples: ['tutti events delete web-1'],
      run: async ({ client, printer }, [deployment = '']) => {
        const count = await (await client()).events.delete(deployment)
        printer.value({ count }, `${count} events and logs of ${deployment} are deleted`)
      },
    },
  ],
}

async function listEvents(
  { client, printer }: Context,
  _args: readonly string[],
  options: Options,
): Promise<void> {
  const [since, until] = [options.text('since'), options.text('until')]
  const filters = {
    execution_id: options.text('executionId'),
    deployment_id: options.text('deploymentId'),
    node_instance_id: options.text('nodeInstanceId'),
  }
  if (Object.values(filters).every((filter) => filter === undefined)) {
    throw new UsageError(
      'Say whose events: -e EXECUTION, -d DEPLOYMENT or --node-instance-id ID',
      'Find executions: tutti executions list',
    )
  }
  const { items, metadata } = await (await client()).events.list({
    query: {
      ...filters,
      type: options.flag('logs') ? ['svc_event', 'svc_log'] : ['svc_event'],
      level: options.text('level'),
      message: options.text('message'),
      _range:
        since === undefined && until === undefined ? undefined : `timestamp,${since ?? ''},${until ?? ''}`,
      _size: options.text('tail'),
      _sort: '-timestamp',
    },
  })
  const oldestFirst = items.toReversed()
  const lines = oldestFirst.map((event) => renderEvent(event, printer.style, 'full'))
  printer.value({ items: oldestFirst, metadata }, lines.join('\n') || 'No events.')
}
