import { Option } from 'commander'
import type { Context } from '../context.ts'
import { readValues } from '../input/values.ts'
import { type CommandDefinition, type Options, repeated } from './command.ts'
import { detachOption, parameterOption, sayStarted } from './executions.ts'
import { followToEnd, startWhenCreated } from './follow.ts'

/**
 * The built-in workflows as verbs of deployments: `tutti deployments scale web-1`. Each starts an execution and follows
 * it. A parameter that no option names is given by `--parameters`.
 */

type Parameters = Readonly<Record<string, unknown>>

type WorkflowVerb = {
  readonly workflow: string
  readonly description: string
  readonly examples: readonly string[]
  readonly options: readonly Option[]
  /** Only what was given: the workflow knows what holds otherwise. */
  readonly parameters: (options: Options) => Parameters
}

function workflowVerb(verb: WorkflowVerb): CommandDefinition {
  const { workflow, description, examples, options } = verb
  return {
    usage: `${workflow.replaceAll('_', '-')} <deployment>`,
    description: `${description}; Ctrl-C stops following, not the workflow`,
    examples,
    options: [
      ...options,
      parameterOption(),
      new Option('--dry-run', 'do nothing, only show what would be done'),
      new Option('--queue', 'wait for other executions of the deployment'),
      new Option('--force', 'run beside other executions of the deployment'),
      detachOption(),
    ],
    run: (context, [deployment = ''], given) => run(context, verb, deployment, given),
  }
}

async function run(
  context: Context,
  { workflow, parameters }: WorkflowVerb,
  deploymentId: string,
  options: Options,
): Promise<number> {
  const client = await context.client()
  const others = await readValues(options.texts('parameters'), context.environment.workingFolder)
  const begin = () =>
    client.executions.start({
      deploymentId,
      workflowId: workflow,
      parameters: { ...others, ...parameters(options) },
      dryRun: options.flag('dryRun'),
      queue: options.flag('queue'),
      force: options.flag('force'),
    })
  const started = await startWhenCreated(context, client, begin, deploymentId)
  return options.flag('detach') ? sayStarted(context, started) : followToEnd(context, client, started)
}

const flags = (options: Options, names: Readonly<Record<string, readonly [string, boolean]>>): Parameters =>
  Object.fromEntries(
    Object.entries(names).flatMap(([option, [parameter, value]]) =>
      options.flag(option) ? [[parameter, value]] : [],
    ),
  )

const lists = (options: Options, names: Readonly<Record<string, string>>): Parameters =>
  Object.fromEntries(
    Object.entries(names).flatMap(([option, parameter]) => {
      const given = options.texts(option)
      return given.length === 0 ? [] : [[parameter, given]]
    }),
  )

const selection = {
  options: [
    repeated('--node-id <node>', 'only instances of this node; may be repeated'),
    repeated('--node-instance-id <node-instance>', 'only this instance; may be repeated'),
    repeated('--type-name <type>', 'only instances of nodes of this type; may be repeated'),
  ],
  parameters: (options: Options) =>
    lists(options, { nodeId: 'node_ids', nodeInstanceId: 'node_instance_ids', typeName: 'type_names' }),
}

const selecting = (workflow: string, description: string): CommandDefinition =>
  workflowVerb({
    workflow,
    description,
    examples: [`tutti deployments ${workflow.replaceAll('_', '-')} web-1`],
    ...selection,
  })

const ignoreFailure = () =>
  new Option('--ignore-failure', 'go on when an operation of an uninstallation fails')

export const workflowVerbs: readonly CommandDefinition[] = [
  workflowVerb({
    workflow: 'scale',
    description: 'Give a node or a scaling group more or fewer instances',
    examples: [
      'tutti deployments scale web-1 -e web --delta 2',
      'tutti deployments scale web-1 -e web --delta=-1 --include web_ab12cd',
    ],
    options: [
      new Option('-e, --entity <name>', 'node or scaling group').makeOptionMandatory(),
      new Option('--delta <number>', 'how many more, or with a minus fewer (default: 1)'),
      new Option('--scale-compute', 'scale the host of the node'),
      repeated('--include <node-instance>', 'remove this one first; may be repeated'),
      repeated('--exclude <node-instance>', 'remove this one last; may be repeated'),
      ignoreFailure(),
      new Option('--keep-failed', 'undo nothing when it fails, so that it can be resumed'),
      new Option('--abort-started', 'undo a modification that was started and never ended'),
    ],
    parameters: (options) => ({
      scalable_entity_name: options.required('entity'),
      ...(options.text('delta') !== undefined && { delta: options.text('delta') }),
      ...lists(options, { include: 'include_instances', exclude: 'exclude_instances' }),
      ...flags(options, {
        scaleCompute: ['scale_compute', true],
        ignoreFailure: ['ignore_failure', true],
        keepFailed: ['rollback_if_failed', false],
        abortStarted: ['abort_started', true],
      }),
    }),
  }),
  workflowVerb({
    workflow: 'heal',
    description: 'Check the instances of a deployment, heal what is not well, or install it anew',
    examples: ['tutti deployments heal web-1', 'tutti deployments heal web-1 --node-instance-id web_ab12cd'],
    options: [
      new Option('--node-instance-id <node-instance>', 'only what is on the host of this one'),
      new Option('--skip-check', 'take the status that was found last'),
      new Option('--never-reinstall', 'fail where something would have to be reinstalled'),
      new Option('--force-reinstall', 'reinstall without asking for the status'),
    ],
    parameters: (options) => ({
      ...(options.text('nodeInstanceId') !== undefined && {
        node_instance_id: options.text('nodeInstanceId'),
      }),
      ...flags(options, {
        skipCheck: ['check_status', false],
        neverReinstall: ['allow_reinstall', false],
        forceReinstall: ['force_reinstall', true],
      }),
    }),
  }),
  selecting('start', 'Run the operation start of all instances'),
  selecting('stop', 'Run the operation stop of all instances'),
  selecting('restart', 'Run the operations stop, then start of all instances'),
  workflowVerb({
    workflow: 'reinstall',
    description: 'Uninstall the instances of a deployment, and install them again',
    examples: ['tutti deployments reinstall web-1', 'tutti deployments reinstall web-1 --node-id web'],
    options: [...selection.options, ignoreFailure()],
    parameters: (options) => ({
      ...selection.parameters(options),
      ...flags(options, { ignoreFailure: ['ignore_failure', true] }),
    }),
  }),
  selecting('check_status', 'Find out how the instances are'),
  selecting('check_drift', 'Find out what is no longer as it was installed'),
  selecting('pull', 'Run the operation pull of all instances'),
  workflowVerb({
    workflow: 'rollback',
    description: 'Undo installations that stopped half way',
    examples: ['tutti deployments rollback web-1', 'tutti deployments rollback web-1 --full'],
    options: [...selection.options, new Option('--full', 'uninstall everything afterwards')],
    parameters: (options) => ({
      ...selection.parameters(options),
      ...flags(options, { full: ['full_rollback', true] }),
    }),
  }),
]
