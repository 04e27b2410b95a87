import { Option } from 'commander'
import { ownerColumns, textColumn, timeColumn } from './columns.ts'
import { type Noun, needOneOf } from './command.ts'
import type { Answered } from './resource.ts'
import { action, get, list } from './verbs.ts'
import { visibilityOption } from './visibility.ts'

const site: Answered<'sites.get'> = {
  plural: 'sites',
  columns: [
    textColumn('name', ({ name }) => name),
    textColumn('location', ({ location }) => location),
    ...ownerColumns,
    timeColumn('created at', ({ created_at: time }) => time),
    textColumn('created by', ({ created_by: user }) => user),
  ],
}

const locationOption = (description: string): Option =>
  new Option('--location <latitude,longitude>', description)

export const sites: Noun = {
  name: 'sites',
  description: 'Places where deployments are',
  commands: [
    list('sites.list', site, {
      description: 'List sites',
      examples: ['tutti sites list'],
      search: 'their name',
    }),
    get('sites.get', site, {
      usage: 'get <site>',
      description: 'Show a site',
      examples: ['tutti sites get london'],
    }),
    action('sites.create', {
      usage: 'create <name>',
      description: 'Create a site',
      examples: ['tutti sites create london --location "51.5, -0.13"'],
      options: [locationOption('where it is, in degrees'), visibilityOption()],
      body: (_args, options) => ({
        location: options.text('location'),
        visibility: options.text('visibility'),
      }),
      done: ([name]) => `Site ${name} is created`,
    }),
    action('sites.update', {
      usage: 'update <site>',
      description: 'Change the name, the location or the visibility of a site',
      examples: ['tutti sites update london --new-name paris --location "48.9, 2.4"'],
      options: [
        new Option('--new-name <name>', 'name from now on'),
        locationOption('where it is, in degrees; an empty text for nowhere'),
        visibilityOption(),
      ],
      body: (_args, options) => {
        needOneOf(options, {
          newName: '--new-name NAME',
          location: '--location LOCATION',
          visibility: '--visibility VISIBILITY',
        })
        return {
          new_name: options.text('newName'),
          location: options.text('location'),
          visibility: options.text('visibility'),
        }
      },
      done: (_args, _options, { name }) => `Site ${name} is changed`,
    }),
    action('sites.delete', {
      usage: 'delete <site>',
      description: 'Delete a site; its deployments are nowhere then',
      examples: ['tutti sites delete london'],
      done: ([name]) => `Site ${name} is deleted`,
    }),
  ],
}
