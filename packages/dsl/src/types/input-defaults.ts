import { DslError } from '../diagnostic.ts'
import type { Plan } from '../plan/plan.ts'
import { newStepBudget, type StepBudget } from '../regex/match.ts'
import { nodePlace, type YamlNode } from '../yaml/node.ts'
import { checkConstraints } from './constraints.ts'
import { OBJECT_TYPES } from './objects.ts'

/**
 * Input defaults against their constraints, at upload (docs/reference/language/inputs.md, "Declaring";
 * docs/reference/language/constraints.md, "Objects").
 */
export function checkInputDefaults(
  plan: Plan,
  origins: ReadonlyMap<object, YamlNode>,
  report: (error: DslError) => void,
): void {
  const budget = newStepBudget()
  for (const [name, schema] of Object.entries(plan.inputs)) {
    const value = schema.default
    if (value === undefined || value === null) continue
    const error = defaultError(plan, name, budget)
    if (error === null) continue
    const origin = origins.get(schema)
    report(
      new DslError(error.errorClass, error.message, {
        ...error.details,
        place: origin === undefined ? null : nodePlace(origin),
        path: `inputs.${name}.default`,
      }),
    )
  }
}

function defaultError(plan: Plan, name: string, budget: StepBudget): DslError | null {
  const schema = plan.inputs[name]
  const value = schema?.default
  if (schema === undefined || value === undefined) return null
  const type = schema.item_type ?? schema.type ?? ''
  const isEmptyList = Array.isArray(value) && value.length === 0
  if ((OBJECT_TYPES as readonly string[]).includes(type)) {
    if (isEmptyList && schema.item_type !== undefined) return null
    // There is nothing yet in which such a value could be looked up.
    return new DslError('ConstraintException', `The input '${name}' of type ${type} cannot have a default.`)
  }
  return checkConstraints({ name, value, schema, deploymentId: null, budget })
}
