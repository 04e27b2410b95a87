import { Option } from 'commander'
import { jsonColumn, textColumn } from './columns.ts'
import { type Noun, needOneOf, type Options } from './command.ts'
import type { Listed } from './resource.ts'
import { list } from './verbs.ts'

/** Where to look for what deployments and, before there is one, blueprints declare. */
export const withinOptions = (): readonly Option[] => [
  new Option('-d, --deployment-id <deployment>', 'those of this deployment'),
  new Option('-b, --blueprint-id <blueprint>', 'those of this blueprint').conflicts('deploymentId'),
]

export function withinQuery(options: Options) {
  needOneOf(options, { deploymentId: '-d DEPLOYMENT', blueprintId: '-b BLUEPRINT' })
  return { deployment_id: options.text('deploymentId'), blueprint_id: options.text('blueprintId') }
}

const nameOption = (): Option => new Option('--name <text>', 'only those with this in their name')

async function namedBody(options: Options) {
  const name = options.text('name')
  return name === undefined ? {} : { constraints: { name_pattern: { contains: name } } }
}

type Place = { readonly deployment_id: string | null; readonly blueprint_id: string | null }
const placeColumns = [
  textColumn('deployment', ({ deployment_id: deployment }: Place) => deployment),
  textColumn('blueprint', ({ blueprint_id: blueprint }: Place) => blueprint),
]

const scalingGroup: Listed<'searches.scalingGroups'> = {
  plural: 'scaling groups',
  columns: [
    textColumn('name', ({ name }) => name),
    textColumn('members', ({ members }) => members.join(', ')),
    jsonColumn('properties', ({ properties }) => properties),
    ...placeColumns,
  ],
}

export const scalingGroups: Noun = {
  name: 'scaling-groups',
  description: 'Groups of nodes that scale together',
  commands: [
    list('searches.scalingGroups', scalingGroup, {
      usage: 'search',
      description: 'Find the scaling groups of a deployment or a blueprint',
      examples: ['tutti scaling-groups search -d web-1', 'tutti scaling-groups search -b web --name front'],
      options: [...withinOptions(), nameOption()],
      query: withinQuery,
      body: namedBody,
    }),
  ],
}

const declared: Listed<'searches.capabilities'> = {
  plural: 'capabilities',
  columns: [
    ...placeColumns,
    textColumn('capabilities', ({ capabilities }) => Object.keys(capabilities).join(', ')),
  ],
}

export const capabilities: Noun = {
  name: 'capabilities',
  description: 'What deployments offer others; their values: tutti deployments capabilities',
  commands: [
    list('searches.capabilities', declared, {
      usage: 'search',
      description: 'Find the capabilities that a deployment or a blueprint declares',
      examples: ['tutti capabilities search -d web-1', 'tutti capabilities search -b web --name url'],
      options: [...withinOptions(), nameOption()],
      query: withinQuery,
      body: namedBody,
    }),
  ],
}
