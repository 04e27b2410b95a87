import type { Label } from '@tutti/api'
import type { Client } from '@tutti/client'
import type { Context } from '../context.ts'
import { readLabels } from '../input/values.ts'
import { renderFields } from '../output/fields.ts'
import type { Noun } from './command.ts'

type Pair = readonly [key: string, value: string]

type Labelled = { readonly labels: readonly Label[] }
type Owner = {
  get(id: string): Promise<Labelled>
  setLabels(id: string, labels: readonly Pair[]): Promise<Labelled>
}

const owners = {
  blueprint: ({ blueprints }: Client): Owner => blueprints,
  deployment: ({ deployments }: Client): Owner => deployments,
  'deployment-group': ({ call }: Client): Owner => ({
    get: (id) => call('deploymentGroups.get', { params: { group_id: id } }),
    setLabels: (id, labels) =>
      call('deploymentGroups.put', {
        params: { group_id: id },
        body: { labels: labels.map(([key, value]) => ({ [key]: value })) },
      }),
  }),
} as const

/** `tutti deployments labels …` and the same of blueprints and deployment groups. */
export function labelsOf(noun: keyof typeof owners): Noun {
  const methods = owners[noun]

  /** A change replaces the whole set (docs/reference/sites-filters-labels.md, "Labels"): read, change, send. */
  const change = async (context: Context, id: string, changed: (labels: readonly Pair[]) => Pair[]) => {
    const client = methods(await context.client())
    const { labels } = await client.get(id)
    const pairs = labels.map(({ key, value }): Pair => [key, value])
    show(context, id, (await client.setLabels(id, changed(pairs))).labels)
  }

  return {
    name: 'labels',
    description: `Labels of ${noun}s`,
    commands: [
      {
        usage: `list <${noun}>`,
        description: `List the labels of a ${noun}`,
        examples: [`tutti ${noun}s labels list web`],
        run: async (context, [id = '']) => {
          show(context, id, (await methods(await context.client()).get(id)).labels)
        },
      },
      {
        usage: `add <${noun}> <key=value...>`,
        description: `Add labels to a ${noun}`,
        examples: [`tutti ${noun}s labels add web env=prod tier=front`],
        run: async (context, [id = '', ...given]) => {
          // The manager keeps keys in lower case.
          const added = readLabels(given).map(([key, value]): Pair => [key.toLowerCase(), value])
          await change(context, id, (labels) => [
            ...labels,
            ...added.filter(([key, value]) => !labels.some((one) => one[0] === key && one[1] === value)),
          ])
        },
      },
      {
        usage: `delete <${noun}> <label...>`,
        description: `Remove labels from a ${noun}: key=value for one, key for all of its values`,
        examples: [`tutti ${noun}s labels delete web tier env=prod`],
        run: (context, [id = '', ...given]) =>
          change(context, id, (labels) =>
            labels.filter(
              ([key, value]) => !given.some((one) => one.toLowerCase() === key || isPair(one, key, value)),
            ),
          ),
      },
    ],
  }
}

function isPair(text: string, key: string, value: string): boolean {
  const at = text.indexOf('=')
  return at > 0 && text.slice(0, at).toLowerCase() === key && text.slice(at + 1) === value
}

function show({ printer }: Context, id: string, labels: readonly Label[]): void {
  const lines = labels.map(({ key, value }) => [key, value] as const)
  printer.value(labels, renderFields(lines, printer.style) || `${id} has no labels.`)
}
