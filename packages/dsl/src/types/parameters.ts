import { isCall } from '../functions/call.ts'
import { isList, type Json, member } from '../json.ts'
import type { InputSchema } from '../plan/plan.ts'
import { newStepBudget, type StepBudget } from '../regex/match.ts'
import { misfitJson } from './check-json.ts'
import { checkConstraints } from './constraints.ts'
import { correctedType } from './corrected.ts'
import { OBJECT_TYPES, type ObjectGetter } from './objects.ts'
import { isPrimitive } from './primitive.ts'

export type ParametersRequest = {
  readonly workflow: string
  readonly schema: { readonly [name: string]: InputSchema }
  readonly given: { readonly [name: string]: Json }
  readonly allowCustomParameters: boolean
  readonly deploymentId: string | null
  /** Without it objects are not looked up. See `withObjects` for answers that take time. */
  readonly objects?: ObjectGetter
}

export type ParametersOutcome =
  | { readonly ok: true; readonly parameters: { readonly [name: string]: Json } }
  /** Every problem, worded as docs/reference/executions.md, "Parameters". */
  | { readonly ok: false; readonly problems: readonly [string, ...string[]] }

/**
 * Parameters of an execution: defaults, conversion, types, constraints (docs/reference/executions.md, "Parameters").
 * Functions in values are left as they stand; evaluate them before, so that the results are checked.
 */
export function convertAndCheckParameters(request: ParametersRequest): ParametersOutcome {
  const { workflow, schema, given } = request
  const budget = newStepBudget()
  const problems: string[] = []
  const missing: string[] = []
  const parameters: { [name: string]: Json } = {}
  for (const [name, declared] of Object.entries(schema)) {
    const own = member(given, name)
    if (own === undefined && declared.default === undefined) {
      if (declared.required !== false) missing.push(name)
      continue
    }
    const value = converted(own ?? declared.default ?? null, declared)
    parameters[name] = value
    const problem = own === undefined ? null : problemOf(request, name, declared, value, budget)
    if (problem !== null) problems.push(problem)
  }
  if (missing.length > 0) {
    problems.push(
      `Workflow "${workflow}" must be provided with the following parameters to execute: ${missing.join(',')}`,
    )
  }
  const custom = Object.keys(given).filter((name) => !Object.hasOwn(schema, name))
  if (custom.length > 0 && !request.allowCustomParameters) {
    problems.push(
      `Workflow "${workflow}" does not have the following parameters declared: ${custom.join(',')}. Remove these parameters or use the flag for allowing custom parameters`,
    )
  }
  const [first, ...others] = problems
  if (first !== undefined) return { ok: false, problems: [first, ...others] }
  for (const name of custom) parameters[name] = given[name] ?? null
  return { ok: true, parameters }
}

function converted(value: Json, schema: InputSchema): Json {
  if (schema.item_type !== undefined && isList(value)) {
    return value.map((item) => correctedType(item, schema.item_type))
  }
  return correctedType(value, schema.type)
}

function problemOf(
  request: ParametersRequest,
  name: string,
  schema: InputSchema,
  value: Json,
  budget: StepBudget,
): string | null {
  if (value === null || isCall(value)) return null
  const wrong = `Parameter "${name}" must be of type ${schema.type}`
  if (!fits(value, schema.type)) return wrong
  if (schema.item_type !== undefined && isList(value)) {
    const { item_type: itemType } = schema
    if (!value.every((item) => fits(item, itemType))) return `${wrong} of ${itemType}`
  }
  const { deploymentId, objects } = request
  const error = checkConstraints({
    name,
    value,
    schema,
    deploymentId,
    budget,
    ...(objects === undefined ? {} : { objects }),
  })
  return error === null ? null : `Parameter "${name}" does not meet its constraints: ${error.message}`
}

/** Unlike in blueprints, text must be text; values of data types are the workflow's own matter. */
function fits(value: Json, type: string | undefined): boolean {
  if (type === undefined || !isPrimitive(type)) return true
  const isText =
    type === 'string' || type === 'textarea' || (OBJECT_TYPES as readonly string[]).includes(type)
  return isText ? typeof value === 'string' || isCall(value) : misfitJson(value, type) === null
}
