import { DslError } from '../diagnostic.ts'
import { pythonText } from '../functions/python-text.ts'
import type { Json, JsonObject } from '../json.ts'
import { type ConstraintRequest, ruleParts } from './constraints.ts'
import type { DataConstraints, ObjectType } from './objects.ts'

/** Constraints that are one query to the manager, by the types to which they apply (dsl.md 7.2). */
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

/** A value that names an object must name one that exists and satisfies every constraint (dsl.md 7.3). */
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
    message ??= own
    if (operator === 'deployment_id' && IN_DEPLOYMENT.includes(type)) within = String(argument)
    else if (!applies(operator, type)) {
      return new DslError(
        'ConstraintException',
        `The constraint '${operator}' of ${name} does not apply to the type ${type}.`,
      )
    } else Object.assign(constraints, { [operator]: argument })
  }
  if (NEEDS_DEPLOYMENT.includes(type) && within === null) {
    return new DslError(
      'ConstraintException',
      `${name} is of type ${type}, so it needs a deployment_id constraint to say where to look.`,
    )
  }
  if (objects === undefined || objects({ type, value, deploymentId: within, constraints })) return null
  return new DslError(
    'ConstraintException',
    message ??
      `Value ${pythonText(value)} of ${name} is not a valid ${type}, or does not satisfy its constraints.`,
  )
}

function applies(operator: string, type: ObjectType): boolean {
  switch (operator) {
    case 'filter_id':
    case 'labels':
    case 'tenants':
      return BY_OWNER.includes(type)
    case 'name_pattern':
    case 'valid_values':
      return true
    default:
      return false
  }
}
