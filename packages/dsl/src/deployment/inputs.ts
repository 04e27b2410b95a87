import { DslError } from '../diagnostic.ts'
import { isList, type Json, member } from '../json.ts'
import type { InputSchema, Plan } from '../plan/plan.ts'
import { newStepBudget, type StepBudget } from '../regex/match.ts'
import { isDeeperThan } from '../size.ts'
import { checkConstraints } from '../types/constraints.ts'
import { correctedType } from '../types/corrected.ts'
import { fitValue } from '../types/fit.ts'
import type { ObjectGetter } from '../types/objects.ts'

/** Nesting of an input's value: as much as a blueprint may have. */
const MAX_DEPTH = 100

export type InputsRequest = {
  readonly plan: Pick<Plan, 'inputs' | 'data_types'>
  readonly given: { readonly [name: string]: Json }
  readonly autoCorrectTypes: boolean
  readonly deploymentId: string | null
  readonly objects?: ObjectGetter
}

/**
 * The values of a deployment's inputs (docs/reference/language/inputs.md, "Values of a deployment"). Throws `DslError`.
 */
export function deploymentInputs(request: InputsRequest): { readonly [name: string]: Json } {
  const { plan, given } = request
  for (const [name, value] of Object.entries(given)) {
    if (isDeeperThan(value, MAX_DEPTH)) {
      throw new DslError('DSLParsingException', `The value of input '${name}' is nested too deeply.`, {
        code: 214,
      })
    }
  }
  const budget = newStepBudget()
  const values: { [name: string]: Json } = {}
  const missing: string[] = []
  for (const [name, schema] of Object.entries(plan.inputs)) {
    const value = startingValue(request, name, schema)
    if (value !== undefined) values[name] = checked(request, name, schema, value, budget)
    else if (schema.required === false) values[name] = null
    else missing.push(name)
  }
  if (missing.length > 0) {
    throw new DslError(
      'MissingRequiredInputError',
      `Required inputs ${missing.map((name) => `'${name}'`).join(', ')} were not specified - expected inputs: ${Object.keys(plan.inputs).join(', ')}`,
    )
  }
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(plan.inputs, name))
  if (unknown.length > 0) {
    throw new DslError(
      'UnknownInputError',
      `Unknown inputs ${unknown.map((name) => `'${name}'`).join(', ')} specified - expected inputs: ${Object.keys(plan.inputs).join(', ')}`,
    )
  }
  return values
}

function startingValue(request: InputsRequest, name: string, schema: InputSchema): Json | undefined {
  const own = member(request.given, name)
  if (own !== undefined) {
    if (!request.autoCorrectTypes) return own
    if (schema.item_type !== undefined && isList(own))
      return own.map((item) => correctedType(item, schema.item_type))
    return correctedType(own, schema.type)
  }
  if (schema.default !== undefined && schema.default !== null) return schema.default
  return implicitDefault(request.plan, schema.type)
}

/** A data type whose members all have defaults is a default by itself. */
function implicitDefault(plan: InputsRequest['plan'], type: string | undefined): Json | undefined {
  if (type === undefined || !Object.hasOwn(plan.data_types, type)) return undefined
  try {
    return fitValue({}, type, plan.data_types, type)
  } catch (error) {
    if (error instanceof DslError) return undefined
    throw error
  }
}

function checked(
  request: InputsRequest,
  name: string,
  schema: InputSchema,
  value: Json,
  budget: StepBudget,
): Json {
  const { deploymentId, objects, plan } = request
  const error = checkConstraints({
    name: `input ${name}`,
    value,
    schema,
    deploymentId,
    budget,
    ...(objects === undefined ? {} : { objects }),
  })
  if (error !== null) throw error
  if (schema.type === undefined) return value
  const fitted = fitValue(value, schema.type, plan.data_types, name)
  if (schema.item_type === undefined || !isList(fitted)) return fitted
  const { item_type: itemType } = schema
  return fitted.map((item, index) => fitValue(item, itemType, plan.data_types, `${name}[${index}]`))
}
