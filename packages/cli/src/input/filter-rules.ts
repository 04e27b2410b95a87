import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { attributeOperators, type FilterRule, labelOperators } from '@tutti/api'
import { load } from 'js-yaml'
import type { Options } from '../commands/command.ts'
import { repeated } from '../commands/command.ts'
import { UsageError } from '../errors/usage-error.ts'

type Rule = Omit<FilterRule, 'operator'> & { readonly operator: string }

const anyOfHelp = 'key=value, key!=value, key=[one,other]'

export const ruleOptions = () => [
  repeated(
    '--labels-rule <rule>',
    `rule about labels: ${anyOfHelp}, "key is-not value", "key is null", "key is not null"; may be repeated`,
  ),
  ...attributeRuleOptions(),
]

/** Of what has no labels. */
export const attributeRuleOptions = () => [
  repeated(
    '--attrs-rule <rule>',
    `rule about attributes: ${anyOfHelp}, "key contains value", "key does-not-contain value", "key starts-with value", "key ends-with value", "key is not empty"; may be repeated`,
  ),
  repeated('--filter-rules <file>', 'YAML or JSON file with a list of rules; may be repeated'),
]

/** The rules that the options say, all of which must match. @throws UsageError */
export async function readRules(options: Options, workingFolder: string): Promise<readonly unknown[]> {
  const files = await Promise.all(
    options.texts('filterRules').map((file) => readRuleFile(resolve(workingFolder, file))),
  )
  return [
    ...files.flat(),
    ...options.texts('labelsRule').map((text) => parseRule('label', text)),
    ...options.texts('attrsRule').map((text) => parseRule('attribute', text)),
  ]
}

/** @throws UsageError */
export function parseRule(type: FilterRule['type'], text: string): Rule {
  const without = /^\s*(\S+)\s+is\s+(null|not\s+null|not\s+empty)\s*$/.exec(text)
  if (without !== null) {
    const [, key = '', state = ''] = without
    return known({ type, key, operator: `is_${state.replace(/\s+/, '_')}`, values: [] }, text)
  }
  const equal = /^\s*([^\s=!]+)\s*(!?=)\s*(.+)$/s.exec(text)
  if (equal !== null) {
    const [, key = '', sign, values = ''] = equal
    const operator = sign === '=' ? 'any_of' : 'not_any_of'
    return known({ type, key, operator, values: valuesOf(values) }, text)
  }
  const word = /^\s*(\S+)\s+(is-not|contains|does-not-contain|starts-with|ends-with)\s+(.+)$/s.exec(text)
  if (word === null) throw wrongRule(type, text)
  const [, key = '', given = '', values = ''] = word
  const operator = given === 'does-not-contain' ? 'not_contains' : given.replaceAll('-', '_')
  return known({ type, key, operator, values: valuesOf(values) }, text)
}

function known(rule: Rule, text: string): Rule {
  const operators: readonly string[] = rule.type === 'label' ? labelOperators : attributeOperators
  if (!operators.includes(rule.operator)) throw wrongRule(rule.type, text)
  return rule
}

/** `value`, or several as `[one,other]`. */
function valuesOf(text: string): string[] {
  const [, several] = /^\[(.*)\]\s*$/s.exec(text) ?? []
  return several === undefined ? [text.trim()] : several.split(',').map((value) => value.trim())
}

const wrongRule = (type: FilterRule['type'], text: string) =>
  new UsageError(
    `${JSON.stringify(text)} is no rule about ${type}s`,
    type === 'label'
      ? 'Write key=value, key!=value, key=[one,other], "key is-not value", "key is null" or "key is not null"'
      : 'Write key=value, key!=value, key=[one,other], "key contains value", "key starts-with value" or "key is not empty"',
  )

async function readRuleFile(file: string): Promise<readonly unknown[]> {
  try {
    const text = await readFile(file, 'utf8')
    const value: unknown = extname(file) === '.json' ? JSON.parse(text) : load(text)
    if (Array.isArray(value)) return value
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
  throw new UsageError(`${file} must hold a list of rules`)
}
