import type { Budget } from '../functions/budget.ts'
import { callOf } from '../functions/call.ts'
import { UnknownSecret } from '../functions/get-secret.ts'
import type { Json } from '../json.ts'
import { type Evaluation, evaluate, OUTERMOST } from './evaluate.ts'
import type { EvaluationStorage } from './storage.ts'

type Declared = { readonly [name: string]: { readonly value: Json } }

/**
 * Outputs of a deployment (docs/reference/language/functions.md, "At run time"): an ambiguous `get_attribute` becomes
 * the text `<ERROR: …>`; an entry that is directly a `get_secret` of a missing secret is left out. Other failures throw
 * `DslError`.
 */
export function evaluateOutputs(
  outputs: Declared,
  storage: EvaluationStorage,
  budget: Budget,
): Promise<Record<string, Json>> {
  return evaluateEach(outputs, { ...OUTERMOST, context: {}, storage, budget, ambiguousAsText: true })
}

/** Capabilities: as outputs, but an ambiguous `get_attribute` throws `DslError`. */
export function evaluateCapabilities(
  capabilities: Declared,
  storage: EvaluationStorage,
  budget: Budget,
): Promise<Record<string, Json>> {
  return evaluateEach(capabilities, { ...OUTERMOST, context: {}, storage, budget })
}

async function evaluateEach(declared: Declared, evaluation: Evaluation): Promise<Record<string, Json>> {
  const entries: [string, Json][] = []
  for (const [name, { value }] of Object.entries(declared)) {
    try {
      entries.push([name, await evaluate(value, evaluation)])
    } catch (error) {
      const isSecret = callOf(value)?.name === 'get_secret'
      if (!isSecret || !(error instanceof UnknownSecret)) throw error
    }
  }
  return Object.fromEntries(entries)
}
