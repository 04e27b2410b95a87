import { badParameter, wrongType } from '../errors/messages.ts'
import { parseLabels } from '../labels.ts'
import { wireList } from '../values/wire-list.ts'
import { wireTypeOf } from '../values/wire-type.ts'
import type { AttributeOperator, FilterRule } from './filter-rule.ts'

/**
 * The constraints of an input's values, as searches take them (docs/reference/searches-and-summaries.md,
 * "Constraints"), made into rules.
 */
export type Constraints = {
  readonly rules: readonly FilterRule[]
  readonly filterId: string | undefined
  /** Where to look for what is within deployments or blueprints. */
  readonly deploymentId: string | undefined
  readonly blueprintId: string | undefined
}

export type ConstrainedResource = {
  /** The attribute that `valid_values` are, and the one that `name_pattern` is about. */
  readonly value: string
  readonly name: string
  /** Another name that clients have for `name_pattern`. */
  readonly nameSpecs?: string
  /** Belongs to tenants and has labels of its own, or is looked for within deployments and blueprints. */
  readonly within: boolean
}

const own = ['labels', 'tenants', 'filter_id', 'valid_values', 'name_pattern']
const within = ['deployment_id', 'blueprint_id', 'valid_values', 'name_pattern']

/** @throws bad_parameters_error */
export function parseConstraints(given: unknown, resource: ConstrainedResource): Constraints {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw wrongType('constraints', 'dict', wireTypeOf(given))
  }
  const allowed = [
    ...(resource.within ? within : own),
    ...(resource.nameSpecs === undefined ? [] : [resource.nameSpecs]),
  ]
  const unknown = Object.keys(given).filter((key) => !allowed.includes(key))
  if (unknown.length > 0) {
    throw badParameter(`Unknown constraints: ${unknown.join(', ')}. Allowed are: ${wireList(allowed)}`)
  }
  const constraints = given as Readonly<Record<string, unknown>>
  const { labels, tenants, valid_values: values } = constraints
  const patterns = ['name_pattern', resource.nameSpecs].flatMap((name) =>
    name === undefined || constraints[name] == null ? [] : [[name, constraints[name]] as const],
  )
  return {
    rules: [
      ...(labels == null ? [] : labelRules(labels)),
      ...(tenants == null ? [] : [rule('tenant_name', 'any_of', texts('tenants', tenants))]),
      ...(values == null ? [] : [rule(resource.value, 'any_of', texts('valid_values', values))]),
      ...patterns.flatMap(([name, pattern]) => patternRules(name, resource.name, pattern)),
    ],
    filterId: text('filter_id', constraints.filter_id),
    deploymentId: text('deployment_id', constraints.deployment_id),
    blueprintId: text('blueprint_id', constraints.blueprint_id),
  }
}

function labelRules(labels: unknown): readonly FilterRule[] {
  const byKey = Map.groupBy(parseLabels(labels), ({ key }) => key)
  return [...byKey].map(([key, pairs]) => ({
    type: 'label',
    key,
    operator: 'any_of',
    values: pairs.map(({ value }) => value),
  }))
}

const patternOperators: Readonly<Record<string, AttributeOperator>> = {
  contains: 'contains',
  starts_with: 'starts_with',
  ends_with: 'ends_with',
  equals_to: 'any_of',
}

function patternRules(name: string, attribute: string, pattern: unknown): readonly FilterRule[] {
  if (typeof pattern !== 'object' || pattern === null || Array.isArray(pattern)) {
    throw wrongType(name, 'dict', wireTypeOf(pattern))
  }
  return Object.entries(pattern).map(([key, value]) => {
    const operator = Object.hasOwn(patternOperators, key) ? patternOperators[key] : undefined
    if (operator === undefined || (typeof value !== 'string' && typeof value !== 'number')) {
      throw badParameter(
        `${name} must be a dictionary of ${wireList(Object.keys(patternOperators))} with texts`,
      )
    }
    return rule(attribute, operator, [String(value)])
  })
}

const rule = (key: string, operator: AttributeOperator, values: readonly string[]): FilterRule => ({
  type: 'attribute',
  key,
  operator,
  values,
})

function texts(name: string, value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value
  throw badParameter(`${name} must be a list of texts`)
}

function text(name: string, value: unknown): string | undefined {
  if (value == null || value === '') return undefined
  if (typeof value === 'string') return value
  throw wrongType(name, 'str', wireTypeOf(value))
}
