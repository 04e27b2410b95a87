import { Option } from 'commander'
import type { Context } from '../context.ts'
import { readRules, ruleOptions } from '../input/filter-rules.ts'
import { readLabels, readValues } from '../input/values.ts'
import { jsonColumn, labelsText, ownerColumns, textColumn, timeColumn } from './columns.ts'
import { counted, type Noun, type Options, repeated } from './command.ts'
import { inputOption } from './deployments.ts'
import { labelsOf } from './labels.ts'
import type { Answered } from './resource.ts'
import { action, get, list } from './verbs.ts'
import { visibilityOption } from './visibility.ts'

const group: Answered<'deploymentGroups.get'> = {
  plural: 'deployment groups',
  columns: [
    textColumn('id', ({ id }) => id),
    textColumn('deployments', ({ deployment_ids: ids }) => ids.length),
    textColumn('blueprint', ({ default_blueprint_id: blueprint }) => blueprint),
    textColumn('labels', ({ labels }) => labelsText(labels)),
    textColumn('description', ({ description }) => description),
    timeColumn('created at', ({ created_at: time }) => time),
    textColumn('created by', ({ created_by: user }) => user),
  ],
  details: [
    textColumn('members', ({ deployment_ids: ids }) => ids.join(', ')),
    jsonColumn('default inputs', ({ default_inputs: inputs }) => inputs),
    ...ownerColumns,
  ],
}

const selectionOptions = (): readonly Option[] => [
  repeated('-d, --deployment-id <deployment>', 'this deployment; may be repeated'),
  new Option('--from-group <deployment-group>', 'the deployments of another group'),
  new Option('--filter-id <deployments-filter>', 'the deployments that a stored filter finds'),
  ...ruleOptions(),
]

const countOption = (): Option => counted('--count <count>', 'so many new deployments of its blueprint')

const contentOptions = (): readonly Option[] => [
  new Option('-b, --default-blueprint <blueprint>', 'blueprint of new deployments'),
  inputOption(),
  new Option('--description <text>', 'what the group is for'),
  visibilityOption(),
  repeated('--label <key=value>', 'label of the group and of its deployments; may be repeated'),
  ...selectionOptions(),
  countOption(),
]

export const deploymentGroups: Noun = {
  name: 'deployment-groups',
  description: 'Groups of deployments, on which a workflow runs at once',
  commands: [
    list('deploymentGroups.list', group, {
      description: 'List deployment groups',
      examples: ['tutti deployment-groups list'],
      search: 'their id',
    }),
    get('deploymentGroups.get', group, {
      usage: 'get <deployment-group>',
      description: 'Show a deployment group with its deployments',
      examples: ['tutti deployment-groups get shops'],
    }),
    action('deploymentGroups.put', {
      usage: 'create <id>',
      description: 'Create a deployment group, of deployments that there are or of new ones',
      examples: [
        'tutti deployment-groups create shops -d london -d paris',
        'tutti deployment-groups create shops -b shop --count 3 -i region=eu',
      ],
      options: contentOptions(),
      body: (_args, options, context) => contentOf(options, context),
      done: ([id], _options, { deployment_ids: ids }) => `Group ${id} has ${ids.length} deployments`,
    }),
    action('deploymentGroups.put', {
      usage: 'update <deployment-group>',
      description: 'Change a deployment group; deployments that are named take the place of its own',
      examples: ['tutti deployment-groups update shops --description "all shops" --label tier=front'],
      options: contentOptions(),
      body: (_args, options, context) => contentOf(options, context),
      done: ([id], _options, { deployment_ids: ids }) => `Group ${id} has ${ids.length} deployments`,
    }),
    action('deploymentGroups.update', {
      usage: 'extend <deployment-group>',
      description: 'Add deployments to a group, new ones too',
      examples: [
        'tutti deployment-groups extend shops -d rome',
        'tutti deployment-groups extend shops --count 2',
      ],
      options: [...selectionOptions(), countOption()],
      body: async (_args, options, context) => ({
        add: { ...(await selectionOf(options, context)), new_deployments: newDeployments(options) },
      }),
      done: ([id], _options, { deployment_ids: ids }) => `Group ${id} has ${ids.length} deployments`,
    }),
    action('deploymentGroups.update', {
      usage: 'shrink <deployment-group>',
      description: 'Take deployments out of a group; they are not deleted',
      examples: ['tutti deployment-groups shrink shops -d rome'],
      options: selectionOptions(),
      body: async (_args, options, context) => ({ remove: await selectionOf(options, context) }),
      done: ([id], _options, { deployment_ids: ids }) => `Group ${id} has ${ids.length} deployments`,
    }),
    action('deploymentGroups.delete', {
      usage: 'delete <deployment-group>',
      description: 'Delete a deployment group, and its deployments when asked to',
      examples: [
        'tutti deployment-groups delete shops',
        'tutti deployment-groups delete shops --delete-deployments',
      ],
      options: [
        new Option('--delete-deployments', 'delete its deployments too'),
        new Option('--force', 'even deployments with live node instances'),
        new Option('--recursive', 'with the deployments that they contain'),
      ],
      query: (options) => ({
        delete_deployments: options.flag('deleteDeployments'),
        force: options.flag('force'),
        recursive: options.flag('recursive'),
      }),
      // Without deployments to delete there is no answer.
      done: ([id], _options, answer: { readonly execution_group_id: string } | undefined) =>
        answer === undefined
          ? `Group ${id} is deleted`
          : `Group ${id} is deleted; its deployments go with tutti execution-groups get ${answer.execution_group_id}`,
    }),
  ],
  nouns: [labelsOf('deployment-group')],
}

async function contentOf(options: Options, context: Context) {
  const inputs = options.texts('inputs')
  const labels = readLabels(options.texts('label'))
  return {
    blueprint_id: options.text('defaultBlueprint'),
    default_inputs:
      inputs.length === 0 ? undefined : await readValues(inputs, context.environment.workingFolder),
    description: options.text('description'),
    visibility: options.text('visibility'),
    labels: labels.length === 0 ? undefined : labels.map(([key, value]) => ({ [key]: value })),
    ...(await selectionOf(options, context)),
    new_deployments: newDeployments(options),
  }
}

/** What is null is not meant. */
async function selectionOf(options: Options, { environment }: Context) {
  const ids = options.texts('deploymentId')
  const rules = await readRules(options, environment.workingFolder)
  return {
    deployment_ids: ids.length === 0 ? null : [...ids],
    deployments_from_group: options.text('fromGroup') ?? null,
    filter_id: options.text('filterId') ?? null,
    filter_rules: rules.length === 0 ? null : [...rules],
  }
}

const newDeployments = (options: Options): object[] | null => {
  const count = Number(options.text('count') ?? 0)
  return count === 0 ? null : Array.from({ length: count }, () => ({}))
}
