import { type ListOf, type SummarisedResource, summaryFields } from '@tutti/api'
import { Argument } from 'commander'
import type { Column } from '../output/table.ts'
import { jsonText } from './columns.ts'
import { type CommandDefinition, repeated } from './command.ts'
import { allTenantsOption, fieldFilters } from './verbs.ts'

type Row = Readonly<Record<string, unknown>>

const routes = {
  blueprints: 'summaries.blueprints',
  deployments: 'summaries.deployments',
  executions: 'summaries.executions',
  nodes: 'summaries.nodes',
  node_instances: 'summaries.nodeInstances',
} as const satisfies Readonly<Record<SummarisedResource, string>>

/** `tutti NOUN summary`: how many there are of each value of a field, and of a second field within the first. */
export function summaryOf(resource: SummarisedResource): CommandDefinition {
  const noun = resource.replaceAll('_', '-')
  const fields = summaryFields[resource]
  return {
    usage: 'summary',
    arguments: [
      new Argument('<field>', 'field to count by').choices(fields),
      new Argument('[sub-field]', 'field to count by within the first').choices(fields),
    ],
    description: `Count ${noun.replaceAll('-', ' ')} by the values of a field, or of two`,
    examples: [
      `tutti ${noun} summary ${fields.at(-1)}`,
      `tutti ${noun} summary tenant_name visibility --all-tenants`,
    ],
    options: [
      repeated('--filter <field=value>', 'count only those whose field has this value; may be repeated'),
      allTenantsOption(),
    ],
    run: async ({ client, printer }, [field = '', subField], options) => {
      const { call } = await client()
      const found: ListOf<Row> = await call(routes[resource], {
        query: {
          ...fieldFilters(options.texts('filter')),
          _target_field: field,
          _sub_field: subField,
          _all_tenants: options.flag('allTenants') ? 'true' : undefined,
        },
      })
      if (printer.isJson) return printer.value(found, '')
      const rows =
        subField === undefined ? found.items : found.items.flatMap((row) => rowsWithin(row, subField))
      const columns = [field, ...(subField === undefined ? [] : [subField]), resource].map(columnOf)
      printer.list({ items: rows, metadata: found.metadata }, columns, noun.replaceAll('-', ' '))
    },
  }
}

/** `{f: 'a', things: 3, 'by g': [{g: 'x', things: 2}, …]}` as a row for each `g`. */
function rowsWithin(row: Row, subField: string): readonly Row[] {
  const inner = row[`by ${subField}`]
  return Array.isArray(inner) ? inner.map((one: Row) => ({ ...row, ...one })) : [row]
}

const columnOf = (key: string): Column<Row> => ({
  title: key.replaceAll('_', ' '),
  value: (row) => jsonText(row[key]),
})
