import type { FilterRule } from '@tutti/api'
import { Option } from 'commander'
import { UsageError } from '../errors/usage-error.ts'
import { readRules, ruleOptions } from '../input/filter-rules.ts'
import { flagColumn, ownerColumns, textColumn, timeColumn } from './columns.ts'
import type { Noun } from './command.ts'
import type { Answered } from './resource.ts'
import { action, get, list } from './verbs.ts'
import { visibilityOption } from './visibility.ts'

const filter: Answered<'deploymentsFilters.get'> = {
  plural: 'filters',
  columns: [
    textColumn('id', ({ id }) => id),
    textColumn('rules', ({ value }) => value.map(ruleText).join('; ')),
    flagColumn('system', ({ is_system_filter: isSystem }) => isSystem),
    ...ownerColumns,
    timeColumn('created at', ({ created_at: time }) => time),
    textColumn('created by', ({ created_by: user }) => user),
  ],
}

const ruleText = (rule: Pick<FilterRule, 'key' | 'values'> & { readonly operator: string }): string =>
  [rule.key, rule.operator.replaceAll('_', ' '), rule.values.join(', ')]
    .filter((part) => part !== '')
    .join(' ')

/** `tutti deployments filters …` and the same of blueprints. */
export function filtersOf(nouns: 'deployments' | 'blueprints'): Noun {
  const command = `tutti ${nouns} filters`
  return {
    name: 'filters',
    description: `Stored filters of ${nouns}`,
    commands: [
      list(`${nouns}Filters.list`, filter, {
        description: `List the filters of ${nouns}`,
        examples: [`${command} list`],
        search: 'their id',
      }),
      get(`${nouns}Filters.get`, filter, {
        usage: `get <${nouns}-filter>`,
        description: 'Show a filter',
        examples: [`${command} get production`],
      }),
      action(`${nouns}Filters.create`, {
        usage: 'create <id>',
        description: 'Store a filter; all of its rules must match',
        examples: [
          `${command} create production --labels-rule env=prod --attrs-rule "created_by=[alice,bob]"`,
        ],
        options: [...ruleOptions(), visibilityOption()],
        body: async (_args, options, { environment }) => {
          const rules = await readRules(options, environment.workingFolder)
          if (rules.length === 0) throw new UsageError('Say what matches: --labels-rule or --attrs-rule')
          return { filter_rules: rules, visibility: options.text('visibility') }
        },
        done: ([id]) => `Filter ${id} is stored. Next: tutti ${nouns} search --filter-id ${id}`,
      }),
      action(`${nouns}Filters.update`, {
        usage: `update <${nouns}-filter>`,
        description:
          'Change a filter; new rules about labels leave those about attributes, and the other way',
        examples: [`${command} update production --labels-rule env=[prod,staging]`],
        options: [...ruleOptions(), visibilityOption()],
        body: async (_args, options, { environment }) => {
          const rules = await readRules(options, environment.workingFolder)
          return {
            filter_rules: rules.length === 0 ? undefined : rules,
            visibility: options.text('visibility'),
          }
        },
        done: ([id]) => `Filter ${id} is changed`,
      }),
      action(`${nouns}Filters.delete`, {
        usage: `delete <${nouns}-filter>`,
        description: 'Delete a filter',
        examples: [`${command} delete production`],
        done: ([id]) => `Filter ${id} is deleted`,
      }),
    ],
  }
}

export const searchOptions = (nouns: 'deployments' | 'blueprints'): readonly Option[] => [
  new Option(`--filter-id <${nouns}-filter>`, 'stored filter that must match too'),
  ...ruleOptions(),
]
