import { holdsCall } from '../functions/call.ts'
import { mapChanged } from '../json.ts'
import type { InputSchema } from '../plan/plan.ts'
import { evaluateFunctions } from '../runtime/evaluate.ts'
import type { EvaluationStorage } from '../runtime/storage.ts'

type Schemas = { readonly [name: string]: InputSchema }

/** Whether a constraint of an input or parameter has a function as argument. */
export function hasFunctionsInConstraints(schemas: Schemas): boolean {
  return Object.values(schemas).some(({ constraints }) => constraints?.some((rule) => holdsCall(rule)))
}

/**
 * Inputs or parameters whose constraints hold values instead of functions, as the check of a value wants them
 * (dsl.md 7.1). `get_input` reads what `storage` gives for it. Throws `DslError`.
 */
export async function evaluatedConstraints<S extends Schemas>(
  schemas: S,
  storage: EvaluationStorage,
): Promise<S> {
  if (!hasFunctionsInConstraints(schemas)) return schemas
  const evaluated = new Map<string, InputSchema>()
  for (const [name, schema] of Object.entries(schemas)) {
    if (!hasFunctionsInConstraints({ [name]: schema })) continue
    const constraints = await evaluateFunctions(schema.constraints ?? [], {}, storage)
    evaluated.set(name, { ...schema, constraints: constraints as NonNullable<InputSchema['constraints']> })
  }
  return mapChanged(schemas, (schema, name) => (evaluated.get(name) ?? schema) as S[keyof S & string])
}
