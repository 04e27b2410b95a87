import { DslError } from '../diagnostic.ts'
import { pythonText } from '../functions/python-text.ts'
import type { Json, JsonObject } from '../json.ts'
import { type ConstraintRequest, ruleParts, violation } from './constraint-rules.ts'
import type { DataConstraints, ObjectType } from './objects.ts'

/**
 * Constraints that are one query to the manager, by the types to which they apply
 * (docs/reference/language/constraints.md, "Operators").
 */
const BY_OWNER: readonly ObjectType[] = ['blueprint_id', 'deployment_id']
const IN_DEPLOYMENT: readonly ObjectType[] = [
  'capability_value',
  'scaling_group',
  'node_id',
  'node_type',
  'node_instance',
  'operation_name',
]
/** These are never found in a blueprint alone. */
const NEEDS_DEPLOYMENT: readonly ObjectType[] = ['capability_value', 'node_instance']

/** These constraints are part of the query. */
const DATA_BASED: readonly string[] = ['filter_id', 'labels', 'tenants', 'name_pattern', 'deployment_id']

/**
 * A value that names an object must name one that exists and satisfies every constraint
 * (docs/reference/language/constraints.md, "Objects").
 */
export function checkObject(
  request: ConstraintRequest,
  type: ObjectType,
  value: Json,
  rules: readonly JsonObject[],
): DslError | null {
  const { name, deploymentId, objects } = request
  let within = deploymentId
  let message: string | null = null
  const constraints: { [key in keyof DataConstraints]: DataConstraints[key] } = {}
  for (const rule of rules) {
    const { operator, argument, message: own } = ruleParts(rule)
    if (!isDataBased(operator, type)) {
      const error = violation(request, type, value, [rule])
      if (error !== null) return error
      continue
    }
    message ??= own
    if (operator === 'deployment_id' && IN_DEPLOYMENT.includes(type)) within = String(argument)
    else if (applies(operator, type)) Object.assign(constraints, { [operator]: argument })
    else {
      return new DslError(
        'ConstraintException',
        `The constraint '${operator}' of ${name} does not apply to the type ${type}.`,
      )
    }
  }
  if (NEEDS_DEPLOYMENT.includes(type) && within === null) {
    return new DslError(
      'ConstraintException',
      `${name} is of type ${type}, so it needs a deployment_id constraint to say where to look.`,
    )
  }
  if (objects === undefined) return null
  const fits = (only: DataConstraints) => objects({ type, value, deploymentId: within, constraints: only })
  if (fits(constraints)) return null
  const what = `Value ${pythonText(value)} of ${name}`
  // Each by itself, as somebody has to know which one to heed; and a value that there is not heeds none.
  const given = Object.entries(constraints)
  const violated = fits({})
    ? (given.find(([operator, argument]) => !fits({ [operator]: argument })) ?? given[0])
    : undefined
  const [operator, argument] = violated ?? []
  return new DslError(
    'ConstraintException',
    message ??
      (operator === undefined
        ? `${what} is not a valid ${type}.`
        : `${what} violates constraint ${operator}(${pythonText(argument as Json)}).`),
  )
}

/** `valid_values` is a plain test for what stands in no deployment. */
function isDataBased(operator: string, type: ObjectType): boolean {
  return DATA_BASED.includes(operator) || (operator === 'valid_values' && IN_DEPLOYMENT.includes(type))
}

function applies(operator: string, type: ObjectType): boolean {
  const byOwner = operator === 'filter_id' || operator === 'labels' || operator === 'tenants'
  return byOwner ? BY_OWNER.includes(type) : operator !== 'deployment_id'
}
