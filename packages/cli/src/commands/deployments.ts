import type { Deployment } from '@tutti/api'
import type { Client } from '@tutti/client'
import { Option } from 'commander'
import type { Context } from '../context.ts'
import { readRules } from '../input/filter-rules.ts'
import { readLabels, readValues } from '../input/values.ts'
import { renderFields } from '../output/fields.ts'
import { jsonColumn, labelsText, ownerColumns, statusColumn, textColumn, timeColumn } from './columns.ts'
import { type Noun, needOneOf, type Options, repeated } from './command.ts'
import { dependencies } from './dependencies.ts'
import { workflowVerbs } from './deployment-workflows.ts'
import { filtersOf, searchOptions } from './filters.ts'
import { awaitCreation } from './follow.ts'
import { labelsOf } from './labels.ts'
import type { Answered } from './resource.ts'
import { summaryOf } from './summary.ts'
import { updateCommand, updates } from './update.ts'
import { action, get, list } from './verbs.ts'
import { visibilityOption, visibilityVerbs } from './visibility.ts'

export const inputOption = (): Option =>
  repeated('-i, --inputs <name=value|file>', 'input, or a YAML or JSON file of inputs; may be repeated')

export const createOptions = (): readonly Option[] => [
  inputOption(),
  new Option('--display-name <name>', 'name for people (default: the id)'),
  visibilityOption(),
  repeated('--label <key=value>', 'label of the deployment; may be repeated'),
]

const deployment: Answered<'deployments.get'> = {
  plural: 'deployments',
  columns: [
    textColumn('id', ({ id }) => id),
    textColumn('blueprint', ({ blueprint_id: blueprint }) => blueprint),
    statusColumn('status', ({ deployment_status: status }) => status),
    statusColumn('installed', ({ installation_status: status }) => status),
    textColumn('last workflow', (row) => row.latest_execution_workflow_id),
    statusColumn('ended', ({ latest_execution_status: status }) => status),
    textColumn('labels', ({ labels }) => labelsText(labels)),
    timeColumn('created at', ({ created_at: time }) => time),
  ],
  details: [
    textColumn('created by', ({ created_by: user }) => user),
    textColumn('display name', ({ display_name: name }) => name),
    textColumn('last execution', ({ latest_execution: id }) => id),
    jsonColumn('inputs', ({ inputs }) => inputs),
    textColumn('workflows', ({ workflows }) => workflows.map(({ name }) => name).join(', ')),
    textColumn('site', ({ site_name: site }) => site),
    ...ownerColumns,
  ],
}

export const deployments: Noun = {
  name: 'deployments',
  description: 'Deployments of blueprints',
  commands: [
    list('deployments.list', deployment, {
      description: 'List deployments',
      examples: ['tutti deployments list', 'tutti deployments list -b web --sort -created_at'],
      search: 'their id or display name',
      options: [new Option('-b, --blueprint-id <blueprint>', 'only those of this blueprint')],
      query: (options) => ({
        blueprint_id: options.text('blueprintId'),
        _search_name: options.text('search'),
      }),
    }),
    list('searches.deployments', deployment, {
      usage: 'search',
      description: 'Find deployments by rules about their labels and attributes, all of which must match',
      examples: [
        'tutti deployments search --labels-rule env=prod --attrs-rule "id starts-with web"',
        'tutti deployments search --filter-id production',
      ],
      options: searchOptions('deployments'),
      query: (options) => ({ _filter_id: options.text('filterId') }),
      body: async (options, { environment }) => ({
        filter_rules: await readRules(options, environment.workingFolder),
      }),
    }),
    summaryOf('deployments'),
    get('deployments.get', deployment, {
      usage: 'get <deployment>',
      description: 'Show a deployment',
      examples: ['tutti deployments get web', 'tutti deployments get web --json'],
    }),
    {
      usage: 'create <id>',
      description: 'Create a deployment of a blueprint',
      examples: [
        'tutti deployments create web-1 -b web -i port=8080',
        'tutti deployments create web-1 -b web -i inputs.yaml',
      ],
      options: [
        new Option('-b, --blueprint-id <blueprint>', 'blueprint (default: the id of the deployment)'),
        ...createOptions(),
      ],
      run: async (context, [id = ''], options) => {
        const client = await context.client()
        const created = await create(context, client, id, options.text('blueprintId') ?? id, options)
        context.reporter.result(
          created,
          `Deployment ${id} is created. Next: tutti executions start install -d ${id}`,
        )
      },
    },
    {
      usage: 'delete <deployment>',
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
    },
    {
      usage: 'outputs <deployment>',
      description: 'Evaluate the outputs of a deployment',
      examples: ['tutti deployments outputs web-1'],
      run: async ({ client, printer }, [id = '']) => {
        const { outputs } = await (await client()).deployments.outputs(id)
        printer.value(
          outputs,
          renderFields(Object.entries(outputs), printer.style) || `${id} has no outputs.`,
        )
      },
    },
    {
      usage: 'capabilities <deployment>',
      description: 'Evaluate the capabilities of a deployment',
      examples: ['tutti deployments capabilities web-1'],
      run: async ({ client, printer }, [id = '']) => {
        const { capabilities } = await (await client()).deployments.capabilities(id)
        const text = renderFields(Object.entries(capabilities), printer.style)
        printer.value(capabilities, text || `${id} has no capabilities.`)
      },
    },
    updateCommand,
    action('deployments.setSite', {
      usage: 'set-site <deployment>',
      description: 'Say at which site a deployment is, or that it is at none',
      examples: [
        'tutti deployments set-site web-1 -s london',
        'tutti deployments set-site web-1 --detach-site',
      ],
      options: [
        new Option('-s, --site-name <site>', 'site').conflicts('detachSite'),
        new Option('--detach-site', 'at no site'),
      ],
      body: (_args, options) => {
        needOneOf(options, { siteName: '-s SITE', detachSite: '--detach-site' })
        return {
          site_name: options.text('siteName'),
          detach_site: options.flag('detachSite') ? true : undefined,
        }
      },
      done: ([id], _options, { site_name: site }) => `Deployment ${id} is at ${site ?? 'no site'}`,
    }),
    action('deployments.update', {
      usage: 'set-owner <deployment>',
      description: 'Give a deployment to another user',
      examples: ['tutti deployments set-owner web-1 -s alice'],
      options: [new Option('-s, --username <user>', 'new owner').makeOptionMandatory()],
      body: (_args, options) => ({ creator: options.required('username') }),
      done: ([id], options) => `Deployment ${id} belongs to ${options.text('username')}`,
    }),
    ...visibilityVerbs('deployments.setVisibility', 'deployment'),
    ...workflowVerbs,
    {
      usage: 'verify <deployment>',
      description: 'Look whether node instances, relationships and counts of a deployment agree',
      examples: ['tutti deployments verify web-1'],
      run: async ({ client, printer }, [id = '']) => {
        const { call } = await client()
        const found = await call('deployments.verify', { params: { deployment_id: id } })
        printer.value(found, found.problems.join('\n') || `All of ${id} agrees.`)
        return found.problems.length === 0 ? 0 : 1
      },
    },
  ],
  nouns: [labelsOf('deployment'), filtersOf('deployments'), dependencies, updates],
}

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
