import { ApiError } from '../errors/api-error.ts'
import { wrongType } from '../errors/messages.ts'
import { checkIdentifier } from '../identifiers.ts'
import { checkLabel, checkLabelKey } from '../labels.ts'
import { wireList } from '../values/wire-list.ts'
import { wireText } from '../values/wire-text.ts'
import { wireTypeOf } from '../values/wire-type.ts'

export const labelOperators = ['any_of', 'not_any_of', 'is_null', 'is_not_null', 'is_not'] as const
export const attributeOperators = [
  'any_of',
  'not_any_of',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'is_not_empty',
] as const

export type LabelOperator = (typeof labelOperators)[number]
export type AttributeOperator = (typeof attributeOperators)[number]

/**
 * One rule of a filter or search (docs/reference/rest-conventions.md, "Filter rules"); all rules of a set must match.
 */
export type FilterRule =
  | {
      readonly type: 'label'
      readonly key: string
      readonly operator: LabelOperator
      readonly values: readonly string[]
    }
  | {
      readonly type: 'attribute'
      readonly key: string
      readonly operator: AttributeOperator
      readonly values: readonly string[]
    }

/** What rules can be stored for, and what they can search. */
export type FilteredResource = 'deployments' | 'blueprints'
export type SearchedResource = FilteredResource | 'secrets' | 'nodes' | 'node_instances' | 'node_types'

/**
 * Attributes that rules may name (docs/reference/rest-conventions.md, "Filter rules"); only deployments and blueprints
 * have labels.
 */
export const filterAttributes: Readonly<Record<SearchedResource, readonly string[]>> = {
  deployments: [
    'id',
    'blueprint_id',
    'created_by',
    'site_name',
    'schedules',
    'tenant_name',
    'display_name',
    'installation_status',
  ],
  blueprints: ['created_by', 'state', 'id', 'tenant_name'],
  secrets: ['key', 'provider_name', 'created_by', 'tenant_name'],
  nodes: ['id', 'type', 'deployment_id', 'blueprint_id', 'host_id', 'created_by', 'tenant_name'],
  node_instances: ['id', 'node_id', 'deployment_id', 'host_id', 'state', 'created_by', 'tenant_name'],
  node_types: ['type', 'deployment_id', 'blueprint_id', 'tenant_name'],
}

const entries = ['key', 'values', 'operator', 'type']
const operatorsWithoutValues: readonly string[] = ['is_null', 'is_not_null', 'is_not_empty']

/** The rules of a body, label keys in lower case, duplicates dropped. @throws bad_parameters_error, invalid_filter_rule */
export function parseFilterRules(rules: unknown, resource: SearchedResource): readonly FilterRule[] {
  if (!Array.isArray(rules)) throw wrongType('filter_rules', 'list', wireTypeOf(rules))
  const parsed = rules.map((rule) => parseFilterRule(rule, resource))
  return [...new Map(parsed.map((rule) => [JSON.stringify(rule), rule])).values()]
}

function parseFilterRule(rule: unknown, resource: SearchedResource): FilterRule {
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) {
    throw invalid(rule, 'The filter rule is not a dictionary.')
  }
  const names = Object.keys(rule)
  if (names.length !== entries.length || !entries.every((entry) => names.includes(entry))) {
    throw invalid(
      rule,
      `At least one of the entries in the filter rule is missing or unknown. A rule has ${wireList(entries)}.`,
    )
  }
  const { key, values, operator, type } = rule as Readonly<Record<string, unknown>>
  if (typeof key !== 'string') throw invalid(rule, 'The filter rule key must be a string.')
  if (!isTextList(values)) throw invalid(rule, 'The filter rule values must be a list of strings.')
  if (type === 'label' && hasLabels(resource)) return parseLabelRule(rule, key, operator, values)
  if (type === 'attribute') return parseAttributeRule(rule, key, operator, values, resource)
  const types = hasLabels(resource) ? ['label', 'attribute'] : ['attribute']
  throw invalid(rule, `The filter rule type must be one of ${wireList(types)}.`)
}

function parseLabelRule(rule: object, key: string, operator: unknown, values: readonly string[]): FilterRule {
  const known = labelOperators.find((one) => one === operator)
  if (known === undefined) {
    throw invalid(rule, `The operator for filtering by labels must be one of ${wireList(labelOperators)}.`)
  }
  checkCount(rule, known, values)
  return checked(rule, () => ({
    type: 'label',
    key: checkLabelKey(key),
    operator: known,
    values: values.map((value) => checkLabel(key, value).value),
  }))
}

/** What is wrong with a part is wrong with the rule. @throws invalid_filter_rule */
function checked<T>(rule: object, check: () => T): T {
  try {
    return check()
  } catch (error) {
    if (error instanceof ApiError) throw invalid(rule, error.message)
    throw error
  }
}

function parseAttributeRule(
  rule: object,
  key: string,
  operator: unknown,
  values: readonly string[],
  resource: SearchedResource,
): FilterRule {
  const attribute = key.toLowerCase()
  const known = attributeOperators.find((one) => one === operator)
  if (known === undefined) {
    throw invalid(
      rule,
      `The operator for filtering by attributes must be one of ${wireList(attributeOperators)}.`,
    )
  }
  if (!filterAttributes[resource].includes(attribute)) {
    throw invalid(
      rule,
      `Allowed attributes to filter ${resource} by are ${wireList(filterAttributes[resource])}.`,
    )
  }
  if (attribute === 'schedules' && known !== 'is_not_empty') {
    throw invalid(rule, "The only operator for the attribute 'schedules' is 'is_not_empty'.")
  }
  checkCount(rule, known, values)
  checked(rule, () => values.map((value) => checkIdentifier('values', value, 'any')))
  return { type: 'attribute', key: attribute, operator: known, values }
}

function checkCount(rule: object, operator: string, values: readonly string[]): void {
  const mustBeEmpty = operatorsWithoutValues.includes(operator)
  if (mustBeEmpty && values.length > 0) {
    throw invalid(rule, `Values list must be empty if the operator is '${operator}'.`)
  }
  if (!mustBeEmpty && values.length === 0) {
    throw invalid(rule, `Values list must include at least one item if the operator is '${operator}'.`)
  }
}

const hasLabels = (resource: SearchedResource) => resource === 'deployments' || resource === 'blueprints'

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

const invalid = (rule: unknown, reason: string) =>
  new ApiError(
    'invalid_filter_rule',
    `The filter rule ${wireText(rule)} is not in the right format. ${reason}`,
    { details: { err_filter_rule: rule, err_reason: reason } },
  )
