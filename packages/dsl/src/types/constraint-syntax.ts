import { logicError } from '../diagnostic.ts'
import { isCallNode } from '../functions/call.ts'
import { nearest } from '../language/suggest.ts'
import { summary } from '../language/summary.ts'
import { checkSince, type Version } from '../language/version.ts'
import { pythonRegex } from '../regex/match.ts'
import { given, nodePlace, type YamlMap, type YamlNode } from '../yaml/node.ts'

/** What the argument of each operator must be (docs/reference/language/constraints.md, "Operators"). */
const ARGUMENTS: { readonly [operator: string]: (argument: YamlNode) => boolean } = {
  equal: isNumber,
  greater_than: isNumber,
  greater_or_equal: isNumber,
  less_than: isNumber,
  less_or_equal: isNumber,
  in_range: (node) => node.kind === 'list' && node.items.length === 2 && node.items.every(isNumber),
  valid_values: (node) => node.kind === 'list',
  length: isNumber,
  min_length: isNumber,
  max_length: isNumber,
  pattern: (node) => isText(node) && pythonRegex(String((node as { value: string }).value)) !== null,
  filter_id: isText,
  labels: (node) =>
    node.kind === 'list' && node.items.every((item) => item.kind === 'map' && item.entries.size === 1),
  tenants: (node) => node.kind === 'list' && node.items.every(isText),
  name_pattern: (node) =>
    node.kind === 'map' &&
    [...node.entries].every(
      ([key, { value }]) =>
        NAME_PATTERNS.includes(key) && (isText(value) || isNumber(value) || isCallNode(value)),
    ),
  deployment_id: isText,
}

const NAME_PATTERNS = ['starts_with', 'ends_with', 'contains', 'equals_to']

function isNumber(node: YamlNode): boolean {
  return node.kind === 'scalar' && (node.type === 'integer' || node.type === 'float')
}

function isText(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.type === 'string'
}

export type ConstraintSyntax = {
  readonly path: string
  readonly gates: Version | null
  readonly errorMessages: boolean
}

/** The form of a `constraints` list (docs/reference/language/constraints.md, "Form"). */
export function checkConstraintSyntax(rules: YamlNode, syntax: ConstraintSyntax): void {
  if (rules.kind !== 'list') return
  rules.items.forEach((rule, index) => {
    if (rule.kind === 'map') checkRule(rule, `${syntax.path}.${index}`, syntax)
  })
}

function checkRule(rule: YamlMap, path: string, syntax: ConstraintSyntax): void {
  const at = { place: nodePlace(rule), path, value: summary(rule) }
  const keys = [...rule.entries.keys()]
  if (keys.length > 1) checkSince("a constraint's further keys", [1, 5], syntax.gates, at)
  const operators = keys.filter((key) => key !== 'error_message')
  const [operator] = operators
  const known = Object.keys(ARGUMENTS)
  if (operator === undefined || operators.length > 1 || (keys.length > 1 && !syntax.errorMessages)) {
    throw logicError(
      103,
      `A constraint is one operator${syntax.errorMessages ? ' and maybe an error_message' : ''}.`,
      {
        ...at,
        expected: `one of ${known.join(', ')}`,
      },
    )
  }
  const fits = Object.hasOwn(ARGUMENTS, operator) ? ARGUMENTS[operator] : undefined
  if (fits === undefined) {
    throw logicError(103, `Unknown constraint operator '${operator}'.`, {
      ...at,
      expected: `one of ${known.join(', ')}`,
      suggestion: nearest(operator, known),
    })
  }
  const argument = given(rule, operator)
  if (argument !== undefined && (isCallNode(argument) || fits(argument))) return
  throw logicError(
    212,
    `Invalid argument of constraint '${operator}': ${argument ? summary(argument) : 'none'}.`,
    {
      ...at,
      path: `${path}.${operator}`,
    },
  )
}
