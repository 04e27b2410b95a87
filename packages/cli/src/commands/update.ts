import type { DeploymentUpdate } from '@tutti/api'
import type { Client } from '@tutti/client'
import { Option } from 'commander'
import type { Context } from '../context.ts'
import { readValues } from '../input/values.ts'
import { type PresentNodes, updateTree } from '../output/update-tree.ts'
import { jsonColumn, statusColumn, textColumn, timeColumn } from './columns.ts'
import { type CommandDefinition, type Noun, type Options, repeated } from './command.ts'
import { detachOption, sayStarted } from './executions.ts'
import { followToEnd } from './follow.ts'
import type { Answered } from './resource.ts'
import { get, list } from './verbs.ts'

const flags = {
  skipInstall: ['skip_install', 'do not install what is added'],
  skipUninstall: ['skip_uninstall', 'do not uninstall what is removed'],
  skipReinstall: ['skip_reinstall', 'do not reinstall what has changed'],
  skipDriftCheck: ['skip_drift_check', 'do not check for drift: what has changed has drifted'],
  skipHeal: ['skip_heal', 'do not check and heal what is updated'],
  forceReinstall: ['force_reinstall', 'reinstall what could be updated, too'],
  ignoreFailure: ['ignore_failure', 'go on when something fails to be uninstalled'],
  runtimeOnlyEvaluation: ['runtime_only_evaluation', 'leave functions to be evaluated on each use'],
  autoCorrectTypes: ['auto_correct_types', 'convert inputs to their types'],
  force: ['force', 'even when other deployments depend on it'],
} as const

const dashed = (name: string) => name.replaceAll('_', '-')

export const updateCommand: CommandDefinition = {
  usage: 'update <deployment>',
  description: 'Update a deployment to another blueprint or other inputs, or show what that would do',
  examples: [
    'tutti deployments update web-1 -b web-2 --preview',
    'tutti deployments update web-1 -i port=8081',
    'tutti deployments update web-1 --skip-reinstall --reinstall server_abc123',
  ],
  options: [
    new Option('-b, --blueprint-id <blueprint>', 'blueprint (default: the one that it has)'),
    repeated('-i, --inputs <name=value|file>', 'input, or a YAML or JSON file of inputs; may be repeated'),
    new Option('-p, --preview', 'only show what would be done'),
    ...Object.values(flags).map(([name, description]) => new Option(`--${dashed(name)}`, description)),
    repeated('-r, --reinstall <node-instance>', 'reinstall it in any case; may be repeated'),
    detachOption(),
  ],
  run: update,
}

async function update(context: Context, [id = '']: readonly string[], options: Options): Promise<number> {
  const client = await context.client()
  const inputs = await readValues(options.texts('inputs'), context.environment.workingFolder)
  const isPreview = options.flag('preview')
  const blueprintId = options.text('blueprintId')
  const body = {
    preview: isPreview,
    reinstall_list: [...options.texts('reinstall')],
    ...(blueprintId !== undefined && { blueprint_id: blueprintId }),
    ...(Object.keys(inputs).length > 0 && { inputs }),
    ...Object.fromEntries(
      Object.entries(flags).flatMap(([option, [name]]) => (options.flag(option) ? [[name, true]] : [])),
    ),
  }
  const started = await client.call('deploymentUpdates.initiate', { params: { deployment_id: id }, body })
  if (isPreview) return show(context, client, started)
  const execution = await client.executions.get(started.execution_id ?? '')
  if (options.flag('detach')) return sayStarted(context, execution)
  return followToEnd(context, client, execution)
}

/** The exit code: 1 when the deployment cannot become that. */
async function show(
  { printer, environment }: Context,
  client: Client,
  preview: DeploymentUpdate,
): Promise<number> {
  if (preview.state === 'successful') {
    printer.value(preview, updateTree(preview, await presentNodes(client, preview), printer.style))
    return 0
  }
  const { status, error } = await client.executions.get(preview.execution_id ?? '')
  const why = error === '' ? `its execution is ${status}` : error
  environment.stderr.write(`${preview.deployment_id} cannot be updated: ${why}\n`)
  return 1
}

/** Of nodes whose properties change. */
async function presentNodes(client: Client, preview: DeploymentUpdate): Promise<PresentNodes> {
  const modified = preview.deployment_update_nodes?.modify_attributes ?? {}
  const ids = Object.keys(modified).filter((id) => modified[id]?.includes('properties'))
  const present = new Map<string, Readonly<Record<string, unknown>>>()
  for (let at = 0; at < ids.length; at += atOnce) {
    const { items } = await client.call('nodes.list', {
      query: {
        deployment_id: preview.deployment_id,
        id: ids.slice(at, at + atOnce),
        _include: 'id,properties',
        _size: String(atOnce),
      },
    })
    for (const { id, properties } of items) present.set(id, properties)
  }
  return present
}

/** Ids in the path of one request. */
const atOnce = 50

const deploymentUpdate: Answered<'deploymentUpdates.get'> = {
  plural: 'deployment updates',
  columns: [
    textColumn('id', ({ id }) => id),
    textColumn('deployment', ({ deployment_id: deployment }) => deployment),
    statusColumn('state', ({ state }) => state),
    textColumn('preview', ({ preview }) => (preview ? 'yes' : '')),
    textColumn('from', ({ old_blueprint_id: blueprint }) => blueprint),
    textColumn('to', ({ new_blueprint_id: blueprint }) => blueprint),
    timeColumn('created at', ({ created_at: time }) => time),
  ],
  details: [
    textColumn('execution', ({ execution_id: id }) => id),
    jsonColumn('old inputs', ({ old_inputs: inputs }) => inputs),
    jsonColumn('new inputs', ({ new_inputs: inputs }) => inputs),
    textColumn('steps', ({ steps }) =>
      steps.map(({ action, entity_id: id }) => `${action} ${String(id).replaceAll(',', ':')}`).join('\n'),
    ),
    textColumn('created by', ({ created_by: user }) => user),
  ],
}

export const updates: Noun = {
  name: 'updates',
  description: 'Updates of deployments',
  commands: [
    list('deploymentUpdates.list', deploymentUpdate, {
      description: 'List updates of deployments',
      examples: ['tutti deployments updates list -d web-1'],
      search: 'their id',
      options: [new Option('-d, --deployment-id <deployment>', 'only those of this deployment')],
      query: (options) => ({ deployment_id: options.text('deploymentId') }),
    }),
    get('deploymentUpdates.get', deploymentUpdate, {
      usage: 'get <update>',
      description: 'Show an update',
      examples: ['tutti deployments updates get web-1-8f0c2a6e-2c2b-4e7e-9f63-2f2f8f7f0a11'],
    }),
  ],
}
