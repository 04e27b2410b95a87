import { createReadStream, createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { ListOf, Plugin } from '@tutti/api'
import type { Bytes } from '@tutti/client'
import { Option } from 'commander'
import { pluginFileOptions, withPluginFile } from '../input/plugin-file.ts'
import { ownerColumns, textColumn, timeColumn } from './columns.ts'
import { type Noun, repeated } from './command.ts'
import { followInstallation, statesText } from './plugin-installation.ts'
import { initPlugin } from './plugins-init.ts'
import { packPlugin } from './plugins-pack.ts'
import type { Answered } from './resource.ts'
import { action, get, list } from './verbs.ts'
import { visibilityOption, visibilityVerbs } from './visibility.ts'

const plugin: Answered<'plugins.get'> = {
  plural: 'plugins',
  columns: [
    textColumn('id', ({ id }) => id),
    textColumn('package', ({ package_name: name }) => name),
    textColumn('version', ({ package_version: version }) => version),
    textColumn('distribution', ({ distribution }) => distribution),
    textColumn('platform', ({ supported_platform: platform }) => platform),
    textColumn('python', ({ supported_py_versions: versions }) => versions.join(', ')),
    timeColumn('uploaded at', ({ uploaded_at: time }) => time),
    textColumn('uploaded by', ({ created_by: user }) => user),
  ],
  details: [
    textColumn('title', ({ title }) => title),
    textColumn('import', ({ yaml_url_path: line }) => line),
    textColumn('archive', ({ archive_name: name }) => name),
    textColumn('installed', ({ installation_state: states }) => statesText(states)),
    ...ownerColumns,
  ],
}

const isUrl = (path: string): boolean => /^(?:https?|ftp):\/\//i.test(path)

export const plugins: Noun = {
  name: 'plugins',
  description: 'Uploaded plugins',
  commands: [
    list('plugins.list', plugin, {
      description: 'List plugins',
      examples: ['tutti plugins list', 'tutti plugins list --search aws --sort -uploaded_at'],
      search: 'their package',
    }),
    get('plugins.get', plugin, {
      usage: 'get <plugin>',
      description: 'Show a plugin and where it is installed',
      examples: ['tutti plugins get 6f6ab5b2-5a0e-4c2d-8a64-2c1f2ad9c2cf'],
    }),
    {
      usage: 'upload <path>',
      description: 'Upload a wagon with its YAML files, a zip of them, a caravan, or what is at an address',
      examples: [
        'tutti plugins upload demo-1.0-py311-none-any.wgn -y plugin.yaml',
        'tutti plugins upload demo.zip --visibility global',
        'tutti plugins upload https://example.org/demo.zip',
      ],
      options: [
        ...pluginFileOptions(),
        new Option('-t, --title <title>', 'what consoles call it (default: its package)'),
        visibilityOption(),
      ],
      run: async ({ client, environment, reporter }, [path = ''], options) => {
        const { call } = await client()
        const query = { title: options.text('title'), visibility: options.text('visibility') }
        const signal = environment.interruption()
        const uploaded = await reporter.step(`Uploading plugin ${path}`, () =>
          isUrl(path)
            ? call('plugins.upload', { query: { ...query, plugin_archive_url: path }, signal })
            : withPluginFile(environment.workingFolder, path, options, (file) =>
                call('plugins.upload', { query, body: bytesOf(file), signal }),
              ),
        )
        reporter.result(uploaded, uploadedText(uploaded))
      },
    },
    {
      usage: 'validate <path>',
      description: 'Check a wagon, a zip or a caravan on this machine, without a manager',
      examples: ['tutti plugins validate demo-1.0-py311-none-any.wgn -y plugin.yaml'],
      options: pluginFileOptions(),
      run: async ({ environment, printer }, [path = ''], options) => {
        // Loaded here: the other commands need no parser.
        const { validatePlugin } = await import('@tutti/worker')
        const found = await withPluginFile(environment.workingFolder, path, options, validatePlugin)
        const lines = found.map(
          ({ package_name: name, package_version: version, wheels, files }) =>
            `${name} ${version}: ${wheels.length} wheels, ${files.join(', ') || 'no YAML files'}`,
        )
        printer.value(found, [`${path} is valid`, ...lines].join('\n'))
      },
    },
    {
      usage: 'download <plugin>',
      description: 'Download the wagon of a plugin, or all that came with it',
      examples: ['tutti plugins download ID', 'tutti plugins download ID --full -o demo.zip'],
      options: [
        new Option(
          '-o, --output <file>',
          'file to write; it must not exist (default: the name of the archive)',
        ),
        new Option('--full', 'a zip of the wagon with its YAML files and icon'),
      ],
      run: async ({ client, environment, printer }, [id = ''], options) => {
        const { call } = await client()
        const { bytes, filename } = await call('plugins.download', {
          params: { plugin_id: id },
          query: { full_archive: options.flag('full') },
          signal: environment.interruption(),
        })
        const name =
          options.text('output') ?? (options.flag('full') ? `${id}.zip` : (filename ?? `${id}.wgn`))
        const file = resolve(environment.workingFolder, name)
        await pipeline(
          Readable.fromWeb(bytes as NodeReadableStream),
          createWriteStream(file, { flags: 'wx' }),
        )
        printer.value({ id, file }, `Plugin ${id} is in ${file}`)
      },
    },
    {
      usage: 'install <plugin>',
      description: 'Install a plugin before an operation needs it, on all managers unless some are named',
      examples: ['tutti plugins install ID --follow', 'tutti plugins install ID -m manager-1'],
      options: [
        repeated('-m, --manager-hostname <manager>', 'manager to install it on; may be repeated'),
        repeated('-g, --agent-name <agent>', 'agent to install it on; may be repeated'),
        new Option('-f, --follow', 'wait until it is installed, and show how far it has come'),
      ],
      run: async (context, [id = ''], options) => {
        const { call } = await context.client()
        const managers = options.texts('managerHostname')
        const agents = options.texts('agentName')
        const asked = await call('plugins.install', {
          params: { plugin_id: id },
          body: { action: 'install', managers: [...managers], agents: [...agents] },
        })
        if (!options.flag('follow')) {
          context.reporter.result(
            asked,
            `Plugin ${id} will be installed: ${statesText(asked.installation_state)}`,
          )
          return 0
        }
        return followInstallation(context, asked, { managers, agents })
      },
    },
    packPlugin,
    initPlugin,
    action('plugins.delete', {
      usage: 'delete <plugin>',
      description: 'Delete a plugin that no blueprint uses',
      examples: ['tutti plugins delete ID', 'tutti plugins delete ID --force'],
      options: [new Option('--force', 'even when blueprints use it')],
      body: (_args, options) => ({ force: options.flag('force') }),
      done: ([id]) => `Plugin ${id} is deleted`,
    }),
    action('plugins.update', {
      usage: 'set-owner <plugin>',
      description: 'Give a plugin to another user',
      examples: ['tutti plugins set-owner ID -s alice'],
      options: [new Option('-s, --username <user>', 'new owner').makeOptionMandatory()],
      body: (_args, options) => ({ creator: options.required('username') }),
      done: ([id], options) => `Plugin ${id} belongs to ${options.text('username')}`,
    }),
    ...visibilityVerbs('plugins.setVisibility', 'plugin'),
  ],
}

const bytesOf = (file: string): Bytes => Readable.toWeb(createReadStream(file)) as Bytes

function uploadedText(uploaded: Plugin | ListOf<Plugin>): string {
  const all = 'items' in uploaded ? uploaded.items : [uploaded]
  if (all.length === 0) return 'All plugins of the caravan are here already'
  return all
    .map(
      ({ id, package_name: name, package_version: version, yaml_url_path: line }) =>
        `Plugin ${name} ${version} is uploaded as ${id}${line === '' ? '' : `. Import it with: ${line}`}`,
    )
    .join('\n')
}
