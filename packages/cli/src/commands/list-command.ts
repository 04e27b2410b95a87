import type { ListOf } from '@tutti/api'
import type { Client } from '@tutti/client'
import { type Command, Option } from 'commander'
import type { Style } from '../output/style.ts'
import type { Column } from '../output/table.ts'
import { addCommand, counted, type Options, type Program, repeated } from './command.ts'

export type ListQueryFlags = Readonly<Record<string, string | readonly string[] | undefined>>

/** `tutti NOUN list`, which looks the same for every resource. */
export type ListDefinition<Row> = {
  readonly noun: string
  readonly description: string
  readonly examples: readonly string[]
  readonly columns: (style: Style) => readonly Column<Row>[]
  readonly options?: readonly Option[]
  /** The filters that the options mean. */
  readonly filters?: (options: Options) => ListQueryFlags
  readonly fetch: (client: Client, query: ListQueryFlags) => Promise<ListOf<Row>>
}

const listOptions = (): readonly Option[] => [
  counted('--size <count>', 'at most so many (default: 1000)'),
  counted('--offset <count>', 'leave out so many at the beginning'),
  repeated('--sort <field>', 'sort by a field, descending with a leading -; may be repeated'),
  repeated('--filter <field=value>', 'only those whose field has this value; may be repeated'),
  new Option('--all-tenants', 'of every tenant that you may see'),
]

export function addListCommand<Row>(
  parent: Command,
  program: Program,
  definition: ListDefinition<Row>,
): void {
  addCommand(parent, program, {
    usage: 'list',
    description: definition.description,
    examples: definition.examples,
    options: [...(definition.options ?? []), ...listOptions()],
    run: async ({ client, printer }, _args, options) => {
      const query = {
        _size: options.text('size'),
        _offset: options.text('offset'),
        _sort: options.texts('sort'),
        _all_tenants: options.flag('allTenants') ? 'true' : undefined,
        ...fieldFilters(options.texts('filter')),
        ...definition.filters?.(options),
      }
      const found = await definition.fetch(await client(), query)
      printer.list(found, definition.columns(printer.style), definition.noun)
    },
  })
}

function fieldFilters(given: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const filters: Record<string, readonly string[]> = {}
  for (const item of given) {
    const at = item.indexOf('=')
    const [field, value] = at < 0 ? [item, ''] : [item.slice(0, at), item.slice(at + 1)]
    filters[field] = [...(filters[field] ?? []), value]
  }
  return filters
}
