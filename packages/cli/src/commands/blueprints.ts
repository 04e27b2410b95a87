import { basename, resolve } from 'node:path'
import { type Blueprint, isFailedBlueprintState } from '@tutti/api'
import { type ArchiveSource, type Client, findArchiveSource } from '@tutti/client'
import { Option } from 'commander'
import type { Context } from '../context.ts'
import { UsageError } from '../errors/usage-error.ts'
import { readRules } from '../input/filter-rules.ts'
import { readBytes } from '../input/given-file.ts'
import { readLabels } from '../input/values.ts'
import { labelsText, ownerColumns, statusColumn, textColumn, timeColumn } from './columns.ts'
import { type Noun, type Options, repeated } from './command.ts'
import { filtersOf, searchOptions } from './filters.ts'
import { labelsOf } from './labels.ts'
import { lint } from './lint.ts'
import type { Answered } from './resource.ts'
import { summaryOf } from './summary.ts'
import { action, get, list } from './verbs.ts'
import { visibilityOption, visibilityVerbs } from './visibility.ts'

export const uploadOptions = (): readonly Option[] => [
  new Option('-b, --blueprint-id <blueprint>', 'id of the blueprint (default: name of the folder)'),
  new Option('-n, --main-file <name>', 'main file of the blueprint (default: blueprint.yaml)'),
  visibilityOption(),
  repeated('--label <key=value>', 'label of the blueprint; may be repeated'),
]

const blueprint: Answered<'blueprints.get'> = {
  plural: 'blueprints',
  columns: [
    textColumn('id', ({ id }) => id),
    statusColumn('state', ({ state }) => state),
    textColumn('main file', ({ main_file_name: file }) => file),
    textColumn('labels', ({ labels }) => labelsText(labels)),
    timeColumn('created at', ({ created_at: time }) => time),
    textColumn('created by', ({ created_by: user }) => user),
  ],
  details: [
    textColumn('description', ({ description }) => description),
    textColumn('error', ({ error }) => error),
    textColumn('inputs', ({ plan }) => Object.keys(plain(plan?.inputs)).join(', ')),
    ...ownerColumns,
  ],
}

export const blueprints: Noun = {
  name: 'blueprints',
  description: 'Uploaded blueprints',
  commands: [
    list('blueprints.list', blueprint, {
      description: 'List blueprints',
      examples: ['tutti blueprints list', 'tutti blueprints list --search web --sort -created_at'],
      search: 'their id',
    }),
    list('searches.blueprints', blueprint, {
      usage: 'search',
      description: 'Find blueprints by rules about their labels and attributes, all of which must match',
      examples: [
        'tutti blueprints search --labels-rule env=prod --attrs-rule "id starts-with web"',
        'tutti blueprints search --filter-id production',
      ],
      options: searchOptions('blueprints'),
      query: (options) => ({ _filter_id: options.text('filterId') }),
      body: async (options, { environment }) => ({
        filter_rules: await readRules(options, environment.workingFolder),
      }),
    }),
    summaryOf('blueprints'),
    get('blueprints.get', blueprint, {
      usage: 'get <blueprint>',
      description: 'Show a blueprint',
      examples: ['tutti blueprints get web', 'tutti blueprints get web --json'],
    }),
    {
      usage: 'upload <path>',
      description: 'Upload a blueprint: its folder, its main file or an archive',
      examples: ['tutti blueprints upload ./web', 'tutti blueprints upload ./web/app.yaml -b web-2'],
      options: uploadOptions(),
      run: async (context, [path = ''], options) => {
        const client = await context.client()
        const { id, source } = await blueprintAt(context, path, options)
        const uploaded = await upload(context, client, id, source, options)
        context.reporter.result(
          uploaded,
          `Blueprint ${id} is uploaded. Next: tutti deployments create ${id} -b ${id}`,
        )
      },
    },
    {
      usage: 'validate <path>',
      description: 'Check a blueprint without storing it',
      examples: ['tutti blueprints validate ./web'],
      options: uploadOptions(),
      run: async (context, [path = ''], options) => {
        const client = await context.client()
        const { id, source } = await blueprintAt(context, path, options)
        const temporary = `${id}-validation-${context.environment.now().getTime()}`
        await client.blueprints.validate(temporary, source, { mainFile: options.text('mainFile') })
        context.reporter.result({ valid: true }, `${path} is valid`)
      },
    },
    lint,
    {
      usage: 'download <blueprint>',
      description: 'Download the archive of a blueprint',
      examples: ['tutti blueprints download web', 'tutti blueprints download web -o web.tar.gz'],
      options: [new Option('-o, --output <file>', 'file to write; it must not exist (default: ID.tar.gz)')],
      run: async ({ client, environment, printer }, [id = ''], options) => {
        const file = resolve(environment.workingFolder, options.text('output') ?? `${id}.tar.gz`)
        await (await client()).blueprints.downloadTo(id, file, environment.interruption())
        printer.value({ id, file }, `Blueprint ${id} is in ${file}`)
      },
    },
    action('blueprints.delete', {
      usage: 'delete <blueprint>',
      description: 'Delete a blueprint that no deployment uses',
      examples: ['tutti blueprints delete web'],
      options: [new Option('--force', 'even when other blueprints import it')],
      query: (options) => ({ force: options.flag('force') }),
      done: ([id]) => `Blueprint ${id} is deleted`,
    }),
    action('blueprints.update', {
      usage: 'set-owner <blueprint>',
      description: 'Give a blueprint to another user',
      examples: ['tutti blueprints set-owner web -s alice'],
      options: [new Option('-s, --username <user>', 'new owner').makeOptionMandatory()],
      body: (_args, options) => ({ creator: options.required('username') }),
      done: ([id], options) => `Blueprint ${id} belongs to ${options.text('username')}`,
    }),
    {
      usage: 'set-icon <blueprint> [file]',
      description:
        'Give a blueprint an icon that consoles show, a PNG image; without a file it has none any more',
      examples: ['tutti blueprints set-icon web web.png', 'tutti blueprints set-icon web'],
      run: async ({ client, environment, printer }, [id = '', file]) => {
        const bytes = file === undefined ? undefined : await readBytes(environment.workingFolder, file)
        const { call } = await client()
        const changed = await call('blueprints.setIcon', {
          params: { blueprint_id: id },
          ...(bytes !== undefined && { body: new Blob([bytes]).stream() }),
        })
        printer.value(
          changed,
          bytes === undefined ? `Blueprint ${id} has no icon` : `Blueprint ${id} has an icon`,
        )
      },
    },
    ...visibilityVerbs('blueprints.setVisibility', 'blueprint'),
  ],
  nouns: [labelsOf('blueprint'), filtersOf('blueprints')],
}

/** Id and content of the blueprint that a path and its options mean. @throws UsageError */
export async function blueprintAt(
  { environment }: Context,
  path: string,
  options: Options,
): Promise<{ readonly id: string; readonly source: ArchiveSource }> {
  const source = await findArchiveSource(resolve(environment.workingFolder, path)).catch((error: Error) => {
    throw new UsageError(error.message, 'Give the folder of a blueprint, its main file or an archive')
  })
  const id = options.text('blueprintId') ?? basename(source.path).replace(/(\.tar)?\.[a-z]\w{1,3}$/i, '')
  return { id, source }
}

/** Uploads and waits until the blueprint is parsed. @throws Error with the parser's words when it is not valid */
export async function upload(
  context: Context,
  client: Client,
  id: string,
  source: ArchiveSource,
  options: Options,
): Promise<Blueprint> {
  const labels = readLabels(options.texts('label'))
  const signal = context.environment.interruption()
  return context.reporter.step(`Uploading blueprint ${id}`, async () => {
    await client.blueprints.upload(id, source, {
      isAsync: true,
      mainFile: options.text('mainFile'),
      visibility: options.text('visibility'),
      labels,
      signal,
    })
    const uploaded = await client.blueprints.waitUntilUploaded(id, signal, context.environment.wait)
    if (isFailedBlueprintState(uploaded.state ?? '')) {
      throw new Error(`Blueprint ${id} is ${uploaded.state}: ${uploaded.error ?? 'no reason is given'}`)
    }
    return uploaded
  })
}

const plain = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {})
