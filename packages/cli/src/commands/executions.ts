import { type Execution, isEndStatus } from '@tutti/api'
import { Option } from 'commander'
import type { Context } from '../context.ts'
import { UsageError } from '../errors/usage-error.ts'
import { readValues } from '../input/values.ts'
import { flagColumn, jsonColumn, ownerColumns, statusColumn, textColumn, timeColumn } from './columns.ts'
import { counted, type Noun, needOneOf, type Options, repeated } from './command.ts'
import { followToEnd, startWhenCreated } from './follow.ts'
import type { Answered, Listed } from './resource.ts'
import { summaryOf } from './summary.ts'
import { get, list } from './verbs.ts'

export const parameterOption = (): Option =>
  repeated('-p, --parameters <name=value|file>', 'parameter, or a YAML or JSON file; may be repeated')

export const detachOption = (): Option => new Option('--detach', 'start it and return at once')

const execution: Answered<'executions.get'> = {
  plural: 'executions',
  columns: [
    textColumn('id', ({ id }) => id),
    textColumn('workflow', ({ workflow_id: workflow }) => workflow),
    statusColumn('status', ({ status_display: status }) => status),
    textColumn('deployment', ({ deployment_id: deployment }) => deployment),
    textColumn('operations', (row) => `${row.finished_operations}/${row.total_operations}`),
    timeColumn('created at', ({ created_at: time }) => time),
    timeColumn('ended at', ({ ended_at: time }) => time),
    textColumn('error', ({ error }) => error.split('\n')[0] ?? ''),
  ],
  details: [
    textColumn('blueprint', ({ blueprint_id: blueprint }) => blueprint),
    jsonColumn('parameters', ({ parameters }) => parameters),
    flagColumn('dry run', ({ is_dry_run: isDryRun }) => isDryRun),
    timeColumn('started at', ({ started_at: time }) => time),
    timeColumn('scheduled for', ({ scheduled_for: time }) => time),
    textColumn('created by', ({ created_by: user }) => user),
    ...ownerColumns,
  ],
}

const graph: Listed<'tasksGraphs.list'> = {
  plural: 'tasks graphs',
  columns: [
    textColumn('id', ({ id }) => id),
    textColumn('name', ({ name }) => name),
    timeColumn('created at', ({ created_at: time }) => time),
  ],
}

const operation: Listed<'operations.list'> = {
  plural: 'operations',
  columns: [
    textColumn('id', ({ id }) => id),
    textColumn('name', ({ name }) => name),
    textColumn('type', ({ type }) => type),
    statusColumn('state', ({ state }) => state),
  ],
}

export const executions: Noun = {
  name: 'executions',
  description: 'Runs of workflows',
  commands: [
    list('executions.list', execution, {
      description: 'List executions',
      examples: [
        'tutti executions list -d web-1',
        'tutti executions list --filter status=failed --sort -created_at',
      ],
      options: [
        new Option('-d, --deployment-id <deployment>', 'only those of this deployment'),
        new Option('--system', 'with those of system workflows'),
      ],
      query: (options) => ({
        deployment_id: options.text('deploymentId'),
        _include_system_workflows: options.flag('system') ? 'true' : undefined,
      }),
    }),
    summaryOf('executions'),
    get('executions.get', execution, {
      usage: 'get <execution>',
      description: 'Show an execution',
      examples: ['tutti executions get 2a4f1c3e-7d0b-4f7e-9c1a-0d8f6f1b2c3d'],
    }),
    list('tasksGraphs.list', graph, {
      usage: 'graphs',
      description: 'List the stored tasks graphs of an execution',
      examples: ['tutti executions graphs -e 2a4f1c3e-7d0b-4f7e-9c1a-0d8f6f1b2c3d'],
      options: [
        new Option('-e, --execution-id <execution>', 'execution').makeOptionMandatory(),
        new Option('--name <name>', 'only that of this name'),
      ],
      query: (options) => ({
        execution_id: options.required('executionId'),
        name: options.text('name'),
      }),
    }),
    list('operations.list', operation, {
      usage: 'operations',
      description: 'List the stored operations of an execution, or of one of its graphs',
      examples: ['tutti executions operations -e 2a4f1c3e-7d0b-4f7e-9c1a-0d8f6f1b2c3d --state failed'],
      options: [
        new Option('-e, --execution-id <execution>', 'those of this execution'),
        new Option('--graph-id <graph>', 'those of this graph').conflicts('executionId'),
        new Option('--state <state>', 'only those in this state'),
        new Option('--skip-internal', 'without those that only order the others'),
      ],
      query: (options) => {
        needOneOf(options, { executionId: '-e EXECUTION', graphId: '--graph-id GRAPH' })
        return {
          execution_id: options.text('executionId'),
          graph_id: options.text('graphId'),
          state: options.text('state'),
          skip_internal: options.flag('skipInternal') ? 'true' : undefined,
        }
      },
    }),
    {
      usage: 'start <workflow>',
      description: 'Run a workflow of a deployment and follow it; Ctrl-C stops following, not the workflow',
      examples: [
        'tutti executions start install -d web-1',
        'tutti executions start execute_operation -d web-1 -p operation=maintenance.backup',
      ],
      options: [
        new Option('-d, --deployment-id <deployment>', 'deployment').makeOptionMandatory(),
        parameterOption(),
        new Option('--allow-custom-parameters', 'allow parameters that the workflow does not declare'),
        new Option('--dry-run', 'do nothing, only show what would be done'),
        new Option('--queue', 'wait for other executions of the deployment'),
        new Option('--force', 'run beside other executions of the deployment'),
        new Option('--schedule <time>', 'run later, as 202611212030+0000'),
        detachOption(),
      ],
      run: start,
    },
    {
      usage: 'follow <execution>',
      description: 'Follow an execution to its end',
      examples: ['tutti executions follow 2a4f1c3e-7d0b-4f7e-9c1a-0d8f6f1b2c3d'],
      run: async (context, [id = '']) => {
        const client = await context.client()
        return followToEnd(context, client, await client.executions.get(id))
      },
    },
    {
      usage: 'cancel <execution>',
      description:
        'Cancel an execution: it starts nothing more; operations that run go on to their end unless forced or killed',
      examples: ['tutti executions cancel ID', 'tutti executions cancel ID --kill'],
      options: [
        new Option('--force', 'do not wait for the workflow').conflicts('kill'),
        new Option('--kill', 'end the processes of its operations'),
        detachOption(),
      ],
      run: async (context, [id = ''], options) => {
        const action = options.flag('kill') ? 'kill' : options.flag('force') ? 'force-cancel' : 'cancel'
        const client = await context.client()
        const asked = await client.executions.act(id, action)
        const ended =
          options.flag('detach') || isEndStatus(asked.status)
            ? asked
            : await client.executions.follow(id, {
                signal: context.environment.interruption(),
                wait: context.environment.wait,
              })
        context.printer.value(ended, `Execution ${id} is ${ended.status}`)
        return isEndStatus(ended.status) && ended.status !== 'cancelled' ? 1 : 0
      },
    },
    {
      usage: 'resume <execution>',
      description: 'Resume a failed or cancelled execution where it ended, and follow it',
      examples: ['tutti executions resume ID', 'tutti executions resume ID --force'],
      options: [new Option('--force', 'repeat operations that were running when it ended'), detachOption()],
      run: async (context, [id = ''], options) => {
        const client = await context.client()
        const resumed = await client.executions.act(id, options.flag('force') ? 'force-resume' : 'resume')
        return options.flag('detach') ? sayStarted(context, resumed) : followToEnd(context, client, resumed)
      },
    },
    {
      usage: 'delete',
      description: 'Delete ended executions with their events',
      examples: [
        'tutti executions delete --keep-last 100',
        'tutti executions delete --before 2026-11-01 -d web-1',
      ],
      options: [
        counted('--keep-last <count>', 'delete the oldest until so many remain').conflicts('before'),
        new Option('--before <time>', 'delete those created before this time'),
        new Option('-d, --deployment-id <deployment>', 'only those of this deployment'),
      ],
      run: async ({ client, printer }, _args, options) => {
        const [keepLast, toDatetime] = [options.text('keepLast'), options.text('before')]
        if (keepLast === undefined && toDatetime === undefined) {
          throw new UsageError('Say which executions to delete: --keep-last COUNT or --before TIME')
        }
        const deployment = options.text('deploymentId')
        const count = await (await client()).executions.delete(
          { keepLast: keepLast === undefined ? undefined : Number(keepLast), toDatetime },
          deployment === undefined ? {} : { deployment_id: deployment },
        )
        printer.value({ count }, `${count} executions are deleted`)
      },
    },
  ],
}

async function start(
  context: Context,
  [workflow = '']: readonly string[],
  options: Options,
): Promise<number> {
  const client = await context.client()
  const deployment = options.text('deploymentId') ?? ''
  const parameters = await readValues(options.texts('parameters'), context.environment.workingFolder)
  const begin = () =>
    client.executions.start({
      deploymentId: deployment,
      workflowId: workflow,
      parameters,
      allowCustomParameters: options.flag('allowCustomParameters'),
      dryRun: options.flag('dryRun'),
      queue: options.flag('queue'),
      force: options.flag('force'),
      scheduledTime: options.text('schedule'),
    })
  const started = await startWhenCreated(context, client, begin, deployment)
  const isLater = options.flag('detach') || started.status === 'scheduled'
  return isLater ? sayStarted(context, started) : followToEnd(context, client, started)
}

export function sayStarted({ reporter }: Context, started: Execution): number {
  const { id, workflow_id: workflow, status } = started
  reporter.result(started, `${workflow} is ${status}. Follow it: tutti executions follow ${id}`)
  return 0
}
