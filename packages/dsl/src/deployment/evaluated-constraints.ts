import type { Budget } from '../functions/budget.ts'
import { holdsCall } from '../functions/call.ts'
import { pythonText } from '../functions/python-text.ts'
import { isObject, type JsonObject, mapChanged } from '../json.ts'
import type { InputSchema } from '../plan/plan.ts'
import { evaluateWatchingSecrets } from '../runtime/evaluate.ts'
import type { EvaluationStorage } from '../runtime/storage.ts'
import { ruleParts } from '../types/constraint-rules.ts'

type Schemas = { readonly [name: string]: InputSchema }

/** Whether a constraint of an input or parameter has a function as argument. */
export function hasFunctionsInConstraints(schemas: Schemas): boolean {
  return Object.values(schemas).some(({ constraints }) => constraints?.some((rule) => holdsCall(rule)))
}

/**
 * Inputs or parameters whose constraints hold values instead of functions, as the check of a value wants them
 * (docs/reference/language/constraints.md, "Form"). `get_input` reads what `storage` gives for it. A rule that a secret
 * is part of brings its own message, which names the function: whoever gives a value is told that it is wrong, not what
 * would be right. Throws `DslError`.
 */
export async function evaluatedConstraints<S extends Schemas>(
  schemas: S,
  storage: EvaluationStorage,
  budget: Budget,
): Promise<S> {
  if (!hasFunctionsInConstraints(schemas)) return schemas
  const evaluated = new Map<string, InputSchema>()
  for (const [name, schema] of Object.entries(schemas)) {
    if (!hasFunctionsInConstraints({ [name]: schema })) continue
    const constraints: JsonObject[] = []
    for (const rule of schema.constraints ?? [])
      constraints.push(await evaluatedRule(rule, name, storage, budget))
    evaluated.set(name, { ...schema, constraints })
  }
  return mapChanged(schemas, (schema, name) => (evaluated.get(name) ?? schema) as S[keyof S & string])
}

async function evaluatedRule(
  written: JsonObject,
  name: string,
  storage: EvaluationStorage,
  budget: Budget,
): Promise<JsonObject> {
  const { value, isSecret } = await evaluateWatchingSecrets(written, storage, budget)
  const rule = isObject(value) ? value : written
  if (!isSecret) return rule
  const { operator, argument, message } = ruleParts(written)
  return {
    ...rule,
    error_message:
      message ?? `The value of ${name} violates constraint ${operator}(${pythonText(argument)}).`,
  }
}
