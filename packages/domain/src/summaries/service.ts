import {
  badParameter,
  type ListQuery,
  type Permission,
  type SummarisedResource,
  summaryFields,
  wireList,
} from '@tutti/api'
import { type ListedResource, type SummaryRow, summarise } from '@tutti/storage'
import type { Actor } from '../actor.ts'
import { blueprintResource, hiddenIfAsked } from '../blueprints/index.ts'
import { amongDependencies, deploymentResource } from '../deployments/index.ts'
import { executionResource } from '../executions/index.ts'
import { listScope } from '../list-scope.ts'
import { nodeInstanceResource } from '../node-instances/index.ts'
import { nodeResource } from '../nodes/index.ts'

type Summarised = {
  readonly resource: ListedResource
  readonly permission: Permission
}

const summarised: Readonly<Record<SummarisedResource, Summarised>> = {
  blueprints: { resource: blueprintResource, permission: 'blueprint_list' },
  deployments: { resource: deploymentResource, permission: 'deployment_list' },
  executions: { resource: executionResource, permission: 'execution_list' },
  nodes: { resource: nodeResource, permission: 'node_list' },
  node_instances: { resource: nodeInstanceResource, permission: 'node_instance_list' },
}

export type SummaryOptions = {
  readonly _target_field?: string | undefined
  readonly _sub_field?: string | undefined
  readonly _dependencies_of?: string | undefined
}

/** `{FIELD: value, RESOURCE: count}` for each value, with the pairs under it where a second field is given. */
export async function summaryOf(
  actor: Actor,
  name: SummarisedResource,
  query: ListQuery,
  options: SummaryOptions,
) {
  const target = checkField(name, '_target_field', options._target_field)
  const sub =
    options._sub_field === undefined ? undefined : checkField(name, '_sub_field', options._sub_field)
  const { resource, permission } = summarised[name]
  const extra = name === 'blueprints' ? hiddenIfAsked(query) : await amongDependencies(actor, options)
  const scope = await listScope(actor, query, permission)
  const { rows, total } = await summarise(actor.services.db, resource, query, scope, {
    target,
    sub,
    extra,
  })
  const items =
    sub === undefined ? rows.map((row) => ({ [target]: row.target, [name]: row.count })) : undefined
  return { items: items ?? nested(rows, name, target, sub ?? ''), total }
}

function nested(rows: readonly SummaryRow[], name: string, target: string, sub: string) {
  return [...Map.groupBy(rows, (row) => row.target)].map(([value, pairs]) => ({
    [target]: value,
    [name]: pairs[0]?.targetCount ?? 0,
    [`by ${sub}`]: pairs.map((pair) => ({ [sub]: pair.sub, [name]: pair.count })),
  }))
}

/** @throws bad_parameters_error */
function checkField(name: SummarisedResource, parameter: string, field: string | undefined): string {
  const allowed: readonly string[] = summaryFields[name]
  if (field !== undefined && allowed.includes(field)) return field
  throw badParameter(
    field === undefined
      ? `Missing ${parameter} in the query. Valid fields are: ${wireList(allowed)}`
      : `Field ${field} is not valid for a summary of ${name}. Valid fields are: ${wireList(allowed)}`,
  )
}
