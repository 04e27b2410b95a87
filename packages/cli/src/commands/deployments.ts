import type { Deployment } from '@tutti/api'
import type { Client } from '@tutti/client'
import { type Command, Option } from 'commander'
import type { Context } from '../context.ts'
import { readLabels, readValues } from '../input/values.ts'
import { renderFields } from '../output/fields.ts'
import { labelsText, statusColumn, textColumn, timeColumn } from './columns.ts'
import { addCommand, addGroup, type Options, type Program, repeated } from './command.ts'
import { awaitCreation } from './follow.ts'
import { addListCommand } from './list-command.ts'

export const inputOption = (): Option =>
  repeated('-i, --inputs <name=value|file>', 'input, or a YAML or JSON file of inputs; may be repeated')

export function addDeploymentCommands(parent: Command, program: Program): void {
  const group = addGroup(parent, 'deployments', 'Deployments of blueprints', 'tutti deployments get web-1')
  addListCommand<Deployment>(group, program, {
    noun: 'deployments',
    description: 'List deployments',
    examples: ['tutti deployments list', 'tutti deployments list -b web --sort -created_at'],
    options: [
      new Option('-b, --blueprint-id <id>', 'only those of this blueprint'),
      new Option('--search <text>', 'only those with this in their id or display name'),
    ],
    filters: (options) => ({
      blueprint_id: options.text('blueprintId'),
      _search: options.text('search'),
      _search_name: options.text('search'),
    }),
    columns: (style) => [
      textColumn('id', ({ id }) => id),
      textColumn('blueprint', ({ blueprint_id: blueprint }) => blueprint),
      statusColumn('status', style, ({ deployment_status: status }) => status),
      statusColumn('installed', style, ({ installation_status: status }) => status),
      textColumn('last workflow', (row) => row.latest_execution_workflow_id),
      statusColumn('ended', style, ({ latest_execution_status: status }) => status),
      textColumn('labels', ({ labels }) => labelsText(labels)),
      timeColumn('created at', ({ created_at: time }) => time),
    ],
    fetch: (client, query) => client.deployments.list({ query }),
  })
  addCommand(group, program, {
    usage: 'get <id>',
    description: 'Show a deployment',
    examples: ['tutti deployments get web', 'tutti deployments get web --json'],
    run: async ({ client, printer }, [id = '']) => {
      const deployment = await (await client()).deployments.get(id)
      printer.value(deployment, renderFields(deploymentFields(deployment), printer.style))
    },
  })
  addCommand(group, program, {
    usage: 'create <id>',
    description: 'Create a deployment of a blueprint',
    examples: [
      'tutti deployments create web-1 -b web -i port=8080',
      'tutti deployments create web-1 -b web -i inputs.yaml',
    ],
    options: [
      new Option('-b, --blueprint-id <id>', 'blueprint (default: the id of the deployment)'),
      ...createOptions(),
    ],
    run: async (context, [id = ''], options) => {
      const client = await context.client()
      const deployment = await create(context, client, id, options.text('blueprintId') ?? id, options)
      context.reporter.result(
        deployment,
        `Deployment ${id} is created. Next: tutti executions start install -d ${id}`,
      )
    },
  })
  addCommand(group, program, {
    usage: 'delete <id>',
    description: 'Delete a deployment that is uninstalled',
    examples: ['tutti deployments delete web-1', 'tutti deployments delete web-1 --force'],
    options: [
      new Option('--force', 'even when node instances are live or others depend on it'),
      new Option('--recursive', 'with the deployments that it contains'),
    ],
    run: async (context, [id = ''], options) => {
      await deleteDeployment(context, await context.client(), id, options)
      context.reporter.result({ id, deleted: true }, `Deployment ${id} is deleted`)
    },
  })
  addCommand(group, program, {
    usage: 'outputs <id>',
    description: 'Evaluate the outputs of a deployment',
    examples: ['tutti deployments outputs web-1'],
    run: async ({ client, printer }, [id = '']) => {
      const { outputs } = await (await client()).deployments.outputs(id)
      printer.value(outputs, renderFields(Object.entries(outputs), printer.style) || `${id} has no outputs.`)
    },
  })
  addCommand(group, program, {
    usage: 'capabilities <id>',
    description: 'Evaluate the capabilities of a deployment',
    examples: ['tutti deployments capabilities web-1'],
    run: async ({ client, printer }, [id = '']) => {
      const { capabilities } = await (await client()).deployments.capabilities(id)
      const text = renderFields(Object.entries(capabilities), printer.style)
      printer.value(capabilities, text || `${id} has no capabilities.`)
    },
  })
  addCommand(group, program, {
    usage: 'labels <id>',
    description: 'Show or change the labels of a deployment',
    examples: [
      'tutti deployments labels web-1',
      'tutti deployments labels web-1 --add env=prod --delete tier',
    ],
    options: [
      repeated('--add <key=value>', 'label to add; may be repeated'),
      repeated('--delete <key>', 'key, or key=value, to remove; may be repeated'),
    ],
    run: changeLabels,
  })
}

export const createOptions = (): readonly Option[] => [
  inputOption(),
  new Option('--display-name <name>', 'name for people (default: the id)'),
  new Option('--visibility <visibility>', 'who can see it').choices(['private', 'tenant', 'global']),
  repeated('--label <key=value>', 'label of the deployment; may be repeated'),
]

/** Creates a deployment and waits until its nodes and node instances are there. */
export async function create(
  context: Context,
  client: Client,
  id: string,
  blueprintId: string,
  options: Options,
): Promise<Deployment> {
  const inputs = await readValues(options.texts('inputs'), context.environment.workingFolder)
  const labels = readLabels(options.texts('label'))
  return context.reporter.step(`Creating deployment ${id}`, async () => {
    await client.deployments.create(id, {
      blueprintId,
      inputs,
      displayName: options.text('displayName'),
      visibility: options.text('visibility'),
      ...(labels.length === 0 ? {} : { labels }),
      isAsync: true,
    })
    await awaitCreation(context, client, id)
    return client.deployments.get(id)
  })
}

/** Deletes a deployment and waits until it is gone. */
export async function deleteDeployment(
  { environment, reporter }: Context,
  client: Client,
  id: string,
  options: Options,
): Promise<void> {
  await reporter.step(`Deleting deployment ${id}`, async () => {
    await client.deployments.delete(id, {
      force: options.flag('force'),
      recursive: options.flag('recursive'),
    })
    const ended = await client.deployments.waitUntilDeleted(id, environment.interruption(), environment.wait)
    if (ended !== undefined) {
      throw new Error(`Deleting ${id} ${ended.status}: ${ended.error} (execution ${ended.id})`)
    }
  })
}

async function changeLabels(context: Context, [id = '']: readonly string[], options: Options): Promise<void> {
  const client = await context.client()
  const added = readLabels(options.texts('add'))
  const removed = options.texts('delete')
  let { labels } = await client.deployments.get(id)
  if (added.length > 0 || removed.length > 0) {
    const isRemoved = (key: string, value: string) =>
      removed.some((one) => one.toLowerCase() === key || one === `${key}=${value}`)
    // A change replaces the whole set (spec/rest-facts-a.md 4).
    const kept = labels
      .filter(({ key, value }) => !isRemoved(key, value))
      .map(({ key, value }) => [key, value] as const)
    const isKept = (key: string, value: string) =>
      kept.some(([other, text]) => other === key.toLowerCase() && text === value)
    const fresh = added.filter(([key, value]) => !isKept(key, value))
    labels = (await client.deployments.setLabels(id, [...kept, ...fresh])).labels
  }
  const lines = labels.map(({ key, value }) => [key, value] as const)
  context.printer.value(labels, renderFields(lines, context.printer.style) || `${id} has no labels.`)
}

const deploymentFields = (deployment: Deployment): readonly (readonly [string, unknown])[] => [
  ['id', deployment.id],
  ['display name', deployment.display_name],
  ['blueprint', deployment.blueprint_id],
  ['status', deployment.deployment_status],
  ['installation', deployment.installation_status],
  ['last workflow', deployment.latest_execution_workflow_id],
  ['last execution', deployment.latest_execution],
  ['ended', deployment.latest_execution_status],
  ['inputs', deployment.inputs],
  ['workflows', deployment.workflows.map(({ name }) => name).join(', ')],
  ['labels', labelsText(deployment.labels)],
  ['site', deployment.site_name],
  ['visibility', deployment.visibility],
  ['tenant', deployment.tenant_name],
  ['created at', deployment.created_at],
  ['created by', deployment.created_by],
]
