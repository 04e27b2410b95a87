import { basename, resolve } from 'node:path'
import { type Blueprint, isFailedBlueprintState } from '@tutti/api'
import { type ArchiveSource, type Client, findArchiveSource } from '@tutti/client'
import { type Command, Option } from 'commander'
import type { Context } from '../context.ts'
import { UsageError } from '../errors/usage-error.ts'
import { readLabels } from '../input/values.ts'
import { renderFields } from '../output/fields.ts'
import { labelsText, statusColumn, textColumn, timeColumn } from './columns.ts'
import { addCommand, addGroup, type Options, type Program, repeated } from './command.ts'
import { addLintCommand } from './lint.ts'
import { addListCommand } from './list-command.ts'

export const uploadOptions = (): readonly Option[] => [
  new Option('-b, --blueprint-id <id>', 'id of the blueprint (default: name of the folder)'),
  new Option('-n, --main-file <name>', 'main file of the blueprint (default: blueprint.yaml)'),
  new Option('--visibility <visibility>', 'who can see it').choices(['private', 'tenant', 'global']),
  repeated('--label <key=value>', 'label of the blueprint; may be repeated'),
]

export function addBlueprintCommands(parent: Command, program: Program): void {
  const group = addGroup(parent, 'blueprints', 'Uploaded blueprints', 'tutti blueprints upload ./web')
  addListCommand<Blueprint>(group, program, {
    noun: 'blueprints',
    description: 'List blueprints',
    examples: ['tutti blueprints list', 'tutti blueprints list --search web --sort -created_at'],
    options: [new Option('--search <text>', 'only those with this in their id')],
    filters: (options) => ({ _search: options.text('search') }),
    columns: (style) => [
      textColumn('id', ({ id }) => id),
      statusColumn('state', style, ({ state }) => state),
      textColumn('main file', ({ main_file_name: file }) => file),
      textColumn('labels', ({ labels }) => labelsText(labels)),
      timeColumn('created at', ({ created_at: time }) => time),
      textColumn('created by', ({ created_by: user }) => user),
    ],
    fetch: (client, query) => client.blueprints.list({ query }),
  })
  addCommand(group, program, {
    usage: 'get <id>',
    description: 'Show a blueprint',
    examples: ['tutti blueprints get web', 'tutti blueprints get web --json'],
    run: async ({ client, printer }, [id = '']) => {
      const blueprint = await (await client()).blueprints.get(id)
      printer.value(blueprint, renderFields(blueprintFields(blueprint), printer.style))
    },
  })
  addCommand(group, program, {
    usage: 'upload <path>',
    description: 'Upload a blueprint: its folder, its main file or an archive',
    examples: ['tutti blueprints upload ./web', 'tutti blueprints upload ./web/app.yaml -b web-2'],
    options: uploadOptions(),
    run: async (context, [path = ''], options) => {
      const client = await context.client()
      const { id, source } = await blueprintAt(context, path, options)
      const blueprint = await upload(context, client, id, source, options)
      context.reporter.result(
        blueprint,
        `Blueprint ${id} is uploaded. Next: tutti deployments create ${id} -b ${id}`,
      )
    },
  })
  addCommand(group, program, {
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
  })
  addLintCommand(group, program)
  addCommand(group, program, {
    usage: 'download <id>',
    description: 'Download the archive of a blueprint',
    examples: ['tutti blueprints download web', 'tutti blueprints download web -o web.tar.gz'],
    options: [new Option('-o, --output <file>', 'file to write; it must not exist (default: ID.tar.gz)')],
    run: async ({ client, environment, printer }, [id = ''], options) => {
      const file = resolve(environment.workingFolder, options.text('output') ?? `${id}.tar.gz`)
      await (await client()).blueprints.downloadTo(id, file, environment.interruption())
      printer.value({ id, file }, `Blueprint ${id} is in ${file}`)
    },
  })
  addCommand(group, program, {
    usage: 'delete <id>',
    description: 'Delete a blueprint that no deployment uses',
    examples: ['tutti blueprints delete web'],
    options: [new Option('--force', 'even when other blueprints import it')],
    run: async ({ client, printer }, [id = ''], options) => {
      await (await client()).blueprints.delete(id, options.flag('force'))
      printer.value({ id, deleted: true }, `Blueprint ${id} is deleted`)
    },
  })
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
    const blueprint = await client.blueprints.waitUntilUploaded(id, signal, context.environment.wait)
    if (isFailedBlueprintState(blueprint.state ?? '')) {
      throw new Error(`Blueprint ${id} is ${blueprint.state}: ${blueprint.error ?? 'no reason is given'}`)
    }
    return blueprint
  })
}

const blueprintFields = (blueprint: Blueprint): readonly (readonly [string, unknown])[] => [
  ['id', blueprint.id],
  ['state', blueprint.state],
  ['description', blueprint.description],
  ['error', blueprint.error],
  ['main file', blueprint.main_file_name],
  ['labels', labelsText(blueprint.labels)],
  ['inputs', Object.keys(plain(blueprint.plan?.inputs)).join(', ')],
  ['visibility', blueprint.visibility],
  ['tenant', blueprint.tenant_name],
  ['created at', blueprint.created_at],
  ['created by', blueprint.created_by],
]

const plain = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {})
