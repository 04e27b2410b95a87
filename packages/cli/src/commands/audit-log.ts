import type { AuditRecord } from '@tutti/api'
import type { Bytes } from '@tutti/client'
import { Option } from 'commander'
import type { Context } from '../context.ts'
import { printable } from '../output/table.ts'
import { textColumn } from './columns.ts'
import { type CommandDefinition, counted, type Noun, type Options } from './command.ts'
import type { Listed } from './resource.ts'
import { action, list } from './verbs.ts'

const record: Listed<'audit.list'> = {
  plural: 'records',
  columns: [
    textColumn('time', ({ created_at: time }) => time.slice(0, 19).replace('T', ' ')),
    textColumn('who', (row) => row.creator_name ?? row.execution_id),
    textColumn('from', ({ remote_address: address }) => address),
    textColumn('operation', ({ operation }) => operation),
    textColumn('of', ({ ref_table: table }) => table),
    textColumn('what', whatText),
  ],
}

/** What identifies it among its kind: its id or name, and its tenant. */
function whatText({ ref_identifier: identifier, ref_id: id }: AuditRecord): string {
  if (identifier === undefined) return String(id ?? '')
  return Object.entries(identifier)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
}

const selectionOptions = (): readonly Option[] => [
  new Option('-c, --creator-name <user>', 'only what this user did'),
  new Option('-e, --execution-id <execution>', 'only what this execution did'),
]

const selection = (options: Options) => ({
  creator_name: options.text('creatorName'),
  execution_id: options.text('executionId'),
})

const stream: CommandDefinition = {
  usage: 'stream',
  description: 'Print changes as they happen, until Ctrl-C',
  examples: ['tutti audit-log stream', 'tutti audit-log stream -c alice --json'],
  options: [...selectionOptions(), new Option('--since <time>', 'begin with those from this time on')],
  run: async (context, _args, options) => {
    const signal = context.environment.interruption()
    const { call } = await context.client()
    const query = { ...selection(options), since: options.text('since') }
    try {
      const { bytes } = await call('audit.stream', { query, signal })
      await printRecords(context, bytes)
    } catch (error) {
      if (!signal.aborted) throw error
    }
  },
}

/** Records end in an empty line. */
async function printRecords({ environment, isJson }: Context, bytes: Bytes): Promise<void> {
  let rest = ''
  for await (const text of bytes.pipeThrough(new TextDecoderStream())) {
    const parts = `${rest}${text}`.split('\n\n')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      if (part.trim() === '') continue
      environment.stdout.write(isJson ? `${part.trim()}\n` : `${lineOf(JSON.parse(part))}\n`)
    }
  }
}

const lineOf = (one: AuditRecord): string =>
  record.columns
    .map((column) => printable(column.value(one)))
    .filter((cell) => cell !== '')
    .join('  ')

export const auditLog: Noun = {
  name: 'audit-log',
  description: 'Who changed what, when and from where',
  commands: [
    list('audit.list', record, {
      description: 'List changes',
      examples: ['tutti audit-log list --desc --size 20', 'tutti audit-log list -c alice --since 2026-11-01'],
      options: [
        ...selectionOptions(),
        new Option('--since <time>', 'only those from this time on').conflicts('before'),
        new Option('--before <time>', 'only those before this time'),
        new Option('--order-by <field>', 'sort by this field (default: the time)'),
        new Option('--desc', 'the last ones first'),
        counted('--size <count>', 'at most so many, 0 for all (default: 100)'),
        counted('--offset <count>', 'leave out so many at the beginning'),
      ],
      query: (options) => ({
        ...selection(options),
        since: options.text('since'),
        before: options.text('before'),
        order_by: options.text('orderBy'),
        desc: options.flag('desc'),
        size: options.text('size'),
        offset: options.text('offset'),
        _size: undefined,
        _offset: undefined,
      }),
    }),
    stream,
    action('audit.truncate', {
      usage: 'truncate',
      description: 'Delete the records of changes before a time',
      examples: ['tutti audit-log truncate --before 2026-01-01'],
      options: [
        new Option('--before <time>', 'delete what is older').makeOptionMandatory(),
        ...selectionOptions(),
      ],
      query: (options) => ({ ...selection(options), before: options.text('before') }),
      done: (_args, _options, { deleted }) => `${deleted} records are deleted`,
    }),
  ],
}
