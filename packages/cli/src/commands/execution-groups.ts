import { isEndStatus } from '@tutti/api'
import { Option } from 'commander'
import type { Context } from '../context.ts'
import { readValues } from '../input/values.ts'
import { ownerColumns, statusColumn, textColumn, timeColumn } from './columns.ts'
import { counted, type Noun } from './command.ts'
import { parameterOption } from './executions.ts'
import { type Answered, renderOne } from './resource.ts'
import { action, get, list } from './verbs.ts'

const group: Answered<'executionGroups.get'> = {
  plural: 'execution groups',
  columns: [
    textColumn('id', ({ id }) => id),
    textColumn('workflow', ({ workflow_id: workflow }) => workflow),
    textColumn('deployment group', ({ deployment_group_id: id }) => id),
    statusColumn('status', ({ status }) => status ?? null),
    textColumn('at once', ({ concurrency }) => concurrency),
    timeColumn('created at', ({ created_at: time }) => time),
    textColumn('created by', ({ created_by: user }) => user),
  ],
  details: [
    textColumn('executions', ({ execution_ids: ids }) => ids?.join(', ')),
    textColumn('successful go to', ({ success_group_id: id }) => id),
    textColumn('failed go to', ({ failure_group_id: id }) => id),
    ...ownerColumns,
  ],
}

const concurrencyOption = (): Option =>
  counted('--concurrency <count>', 'how many executions run at once (default: 5)')

const numberOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text)

export const executionGroups: Noun = {
  name: 'execution-groups',
  description: 'Runs of a workflow on all deployments of a group',
  commands: [
    list('executionGroups.list', group, {
      description: 'List execution groups',
      examples: ['tutti execution-groups list --sort -created_at'],
    }),
    get('executionGroups.get', group, {
      usage: 'get <execution-group>',
      description: 'Show an execution group with its status',
      examples: ['tutti execution-groups get 2a4f1c3e-7d0b-4f7e-9c1a-0d8f6f1b2c3d'],
    }),
    action('executionGroups.start', {
      usage: 'start <workflow>',
      description: 'Run a workflow on all deployments of a group',
      examples: [
        'tutti execution-groups start install -g shops',
        'tutti execution-groups start install -g shops --concurrency 20 -p ignore_failure=true',
      ],
      options: [
        new Option('-g, --deployment-group <deployment-group>', 'deployment group').makeOptionMandatory(),
        parameterOption(),
        concurrencyOption(),
        new Option('--force', 'run beside other executions of the deployments'),
      ],
      body: async ([workflow = ''], options, { environment }) => ({
        workflow_id: workflow,
        deployment_group_id: options.required('deploymentGroup'),
        default_parameters: { ...(await readValues(options.texts('parameters'), environment.workingFolder)) },
        concurrency: numberOf(options.text('concurrency')),
        force: options.flag('force'),
      }),
      done: ([workflow], _options, { id, execution_ids: executions }) =>
        executions?.length === 0
          ? `No deployment of the group has the workflow ${workflow}: nothing runs`
          : `${workflow} runs. Follow it: tutti execution-groups follow ${id}`,
    }),
    {
      usage: 'follow <execution-group>',
      description: 'Wait for the end of an execution group; fails when one of its executions did',
      examples: ['tutti execution-groups follow 2a4f1c3e-7d0b-4f7e-9c1a-0d8f6f1b2c3d'],
      run: follow,
    },
    action('executionGroups.act', {
      usage: 'cancel <execution-group>',
      description: 'Cancel the executions of a group',
      examples: ['tutti execution-groups cancel ID', 'tutti execution-groups cancel ID --kill'],
      options: [
        new Option('--force', 'do not wait for the workflows').conflicts('kill'),
        new Option('--kill', 'end the processes of their operations'),
      ],
      body: (_args, options) => ({
        action: options.flag('kill') ? 'kill' : options.flag('force') ? 'force-cancel' : 'cancel',
      }),
      done: ([id]) => `Execution group ${id} is being cancelled`,
    }),
    action('executionGroups.act', {
      usage: 'resume <execution-group>',
      description: 'Resume the failed and cancelled executions of a group where they ended',
      examples: ['tutti execution-groups resume ID'],
      options: [new Option('--force', 'repeat operations that were running when they ended')],
      body: (_args, options) => ({ action: options.flag('force') ? 'force-resume' : 'resume' }),
      done: ([id]) => `Execution group ${id} goes on`,
    }),
    action('executionGroups.update', {
      usage: 'update <execution-group>',
      description: 'Set how many executions run at once, and where their deployments go afterwards',
      examples: ['tutti execution-groups update ID --concurrency 10 --failure-group broken-shops'],
      options: [
        concurrencyOption(),
        new Option('--success-group <deployment-group>', 'group for deployments whose execution succeeded'),
        new Option('--failure-group <deployment-group>', 'group for deployments whose execution failed'),
      ],
      body: (_args, options) => ({
        concurrency: numberOf(options.text('concurrency')),
        success_group_id: options.text('successGroup'),
        failure_group_id: options.text('failureGroup'),
      }),
      done: ([id]) => `Execution group ${id} is changed`,
    }),
  ],
}

async function follow(context: Context, [id = '']: readonly string[]): Promise<number> {
  const { environment, printer } = context
  const signal = environment.interruption()
  const { call } = await context.client()
  let last: string | null | undefined
  try {
    for (;;) {
      const found = await call('executionGroups.get', { params: { group_id: id }, signal })
      // One without executions has no status, and nothing to wait for.
      if (found.status === null || isEndStatus(found.status ?? '')) {
        printer.value(found, renderOne(found, group, printer.style))
        return found.status === 'failed' || found.status === 'cancelled' ? 1 : 0
      }
      if (found.status !== last) printer.note(`Execution group ${id} is ${found.status}`)
      last = found.status
      await environment.wait(1_000, signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
    environment.stderr.write(
      `Detached: the executions go on without you.\n  follow: tutti execution-groups follow ${id}\n  cancel: tutti execution-groups cancel ${id}\n`,
    )
    return 1
  }
}
