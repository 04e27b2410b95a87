import {
  ApiError,
  badParameter,
  type Constraints,
  type FilteredResource,
  type FilterRule,
  type ListAnswer,
  type ListQuery,
  type Permission,
  parseConstraints,
  parseFilterRules,
  type SearchedResource,
  wrongType,
} from '@tutti/api'
import { type ListedResource, listPage } from '@tutti/storage'
import type { Actor } from '../actor.ts'
import { requireBlueprint } from '../blueprints/index.ts'
import { requireDeployment } from '../deployments/index.ts'
import { evaluatePayload, findEvaluation, readingEvaluator } from '../evaluation/index.ts'
import { rulesOf } from '../filters/index.ts'
import { listScope } from '../list-scope.ts'

export type SearchBody = { readonly filter_rules?: unknown; readonly constraints?: unknown }

type Asked = Pick<Constraints, 'filterId' | 'deploymentId' | 'blueprintId'> & {
  readonly rules: readonly FilterRule[] | undefined
}

/**
 * Which attributes `valid_values` and `name_pattern` are about (docs/reference/searches-and-summaries.md,
 * "Constraints").
 */
const constrained = {
  deployments: { value: 'id', name: 'display_name', within: false },
  blueprints: { value: 'id', name: 'id', within: false },
  secrets: { value: 'key', name: 'key', within: false },
  nodes: { value: 'id', name: 'id', within: true },
  node_instances: { value: 'id', name: 'id', within: true },
  node_types: { value: 'type_hierarchy', name: 'type', within: true },
  scaling_groups: { value: 'name', name: 'name', within: true },
  capabilities: { value: 'value', name: 'key', nameSpecs: 'capability_key_specs', within: true },
} as const

/** Rules or constraints, not both. @throws bad_parameters_error, invalid_filter_rule */
export function askedFor(resource: keyof typeof constrained, body: SearchBody): Asked {
  const { filter_rules: rules, constraints } = body
  if (rules === null) throw wrongType('filter_rules', 'list', 'NoneType')
  if (rules !== undefined && constraints != null) {
    throw badParameter("You should provide either 'filter_rules' or 'constraints', not both")
  }
  if (constraints != null) return parseConstraints(constraints, constrained[resource])
  const asked = { filterId: undefined, deploymentId: undefined, blueprintId: undefined }
  if (rules === undefined) return { ...asked, rules: undefined }
  if (resource === 'scaling_groups' || resource === 'capabilities') {
    if (Array.isArray(rules) && rules.length === 0) return { ...asked, rules: undefined }
    throw badParameter(`${resource} are searched by constraints, not by filter_rules`)
  }
  return { ...asked, rules: parseFilterRules(rules, resource satisfies SearchedResource) }
}

/** The rules of the body with those of stored filters that the query or the constraints name. */
export function rulesFor(
  actor: Actor,
  resource: FilteredResource,
  query: ListQuery,
  body: SearchBody,
): Promise<readonly FilterRule[] | undefined> {
  const { rules, filterId } = askedFor(resource, body)
  return rulesOf(actor, resource, [query.filterId, filterId], rules)
}

export type Within = {
  readonly deployment_id?: string | undefined
  readonly blueprint_id?: string | undefined
}

/** What is within one deployment, or within one blueprint. @throws bad_parameters_error when neither is named */
export async function searchWithin(
  actor: Actor,
  resource: 'nodes' | 'node_types' | 'scaling_groups' | 'capabilities',
  query: ListQuery,
  body: SearchBody,
  given: Within,
  sources: {
    readonly deployment: ListedResource
    readonly blueprint: ListedResource
    readonly permission: Permission
  },
): Promise<ListAnswer> {
  const asked = askedFor(resource, body)
  const deploymentId = given.deployment_id ?? asked.deploymentId
  const blueprintId = given.blueprint_id ?? asked.blueprintId
  if (deploymentId === undefined && blueprintId === undefined) {
    throw badParameter('You should provide either `deployment_id` or `blueprint_id`', {
      hint: 'In the query, or in the constraints',
    })
  }
  if (resource === 'scaling_groups') {
    const { db } = actor.services
    if (deploymentId !== undefined) await requireDeployment(actor, db, deploymentId)
    else if (blueprintId !== undefined) await requireBlueprint(actor, db, blueprintId)
  }
  const [source, field, id] =
    deploymentId === undefined
      ? [sources.blueprint, 'blueprint_id', blueprintId]
      : [sources.deployment, 'deployment_id', deploymentId]
  const located = { ...query, filters: [...query.filters, { field, values: [id ?? ''] }] }
  const rules = resource === 'capabilities' ? undefined : asked.rules
  const scope = await listScope(actor, query, sources.permission)
  return listPage(actor.services.db, source, located, scope, [], rules)
}

type Capabilities = Readonly<Record<string, { readonly value?: unknown }>>

/**
 * A deployment's capabilities with their values, as inputs of the type capability_value must name them; those that have
 * none now, or that the caller may not ask for, stay as they are declared, and so do a blueprint's.
 */
export async function capabilityValues(
  actor: Actor & { readonly list: ListQuery },
  item: Readonly<Record<string, unknown>>,
): Promise<Capabilities> {
  const declared = (item.capabilities ?? {}) as Capabilities
  if (item.deployment_id === null || !actor.rights.holds('deployment_capabilities')) return declared
  const scope = await listScope(actor, actor.list, 'deployment_capabilities')
  const [id, tenant] = [String(item.deployment_id), String(item.tenant_name)]
  const evaluator = readingEvaluator(actor)
  const storage = await findEvaluation(evaluator, scope, id, tenant)
  if (storage === undefined) return declared
  const evaluated = Object.entries(declared).map(async ([name, capability]) => {
    const value = await evaluatePayload(evaluator, capability.value, {}, storage).catch(noValue)
    return [name, value === undefined ? capability : { ...capability, value }] as const
  })
  return Object.fromEntries(await Promise.all(evaluated))
}

function noValue(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error
}

/** A deployment's capabilities are one row: which of them fit is decided here. */
export function fittingCapabilities(
  capabilities: Capabilities,
  rules: readonly FilterRule[] = [],
): Capabilities {
  return Object.fromEntries(
    Object.entries(capabilities).filter(([key, { value }]) =>
      rules.every((rule) => fits(rule, rule.key === 'key' ? key : String(value))),
    ),
  )
}

function fits({ operator, values }: FilterRule, text: string): boolean {
  const lower = text.toLowerCase()
  switch (operator) {
    case 'contains':
      return values.some((value) => text.includes(value))
    case 'starts_with':
      return values.some((value) => lower.startsWith(value.toLowerCase()))
    case 'ends_with':
      return values.some((value) => lower.endsWith(value.toLowerCase()))
    default:
      return values.includes(text)
  }
}
