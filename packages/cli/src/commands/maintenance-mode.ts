import { ClientError } from '@tutti/client'
import { Option } from 'commander'
import type { Context } from '../context.ts'
import { statusColumn, textColumn, timeColumn } from './columns.ts'
import type { Noun, Options } from './command.ts'
import { type Answered, renderOne } from './resource.ts'
import { get } from './verbs.ts'

const mode: Answered<'maintenance.get'> = {
  plural: 'maintenance mode',
  columns: [
    statusColumn('status', ({ status }) => status),
    timeColumn('requested at', (row) => row.activation_requested_at),
    timeColumn('active since', ({ activated_at: time }) => time),
    textColumn('waits for', ({ remaining_executions: executions }) =>
      (executions ?? []).map(({ id }) => String(id)).join(', '),
    ),
  ],
}

export const maintenanceMode: Noun = {
  name: 'maintenance-mode',
  alias: 'maintenance',
  description: 'Maintenance mode, in which the manager refuses everything that changes things',
  commands: [
    get('maintenance.get', mode, {
      usage: 'status',
      description: 'Show whether the manager is in maintenance mode',
      examples: ['tutti maintenance-mode status'],
    }),
    {
      usage: 'activate',
      description: 'Enter maintenance mode as soon as the executions that run have ended',
      examples: ['tutti maintenance-mode activate', 'tutti maintenance-mode activate --wait'],
      options: [new Option('--wait', 'until it is active')],
      run: (context, _args, options) => enter(context, options),
    },
    {
      usage: 'deactivate',
      description: 'Leave maintenance mode',
      examples: ['tutti maintenance-mode deactivate'],
      run: (context) => set(context, 'deactivate'),
    },
  ],
}

async function enter(context: Context, options: Options): Promise<void> {
  await set(context, 'activate')
  if (!options.flag('wait')) return
  const { environment, printer } = context
  const { call } = await context.client()
  const signal = environment.interruption()
  while ((await call('maintenance.get', { signal })).status !== 'activated') {
    await environment.wait(1_000, signal)
  }
  printer.note('Maintenance mode is active.')
}

async function set({ client, printer }: Context, action: 'activate' | 'deactivate'): Promise<void> {
  const { call } = await client()
  const state = await call('maintenance.set', { params: { action } }).catch((error: unknown) => {
    // It is as asked already (docs/reference/cluster-and-configuration.md, "Maintenance").
    if (error instanceof ClientError && error.status === 304) return call('maintenance.get')
    throw error
  })
  printer.value(state, renderOne(state, mode, printer.style))
}
