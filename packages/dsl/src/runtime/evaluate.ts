import { DslError } from '../diagnostic.ts'
import { type Call, callOf, holdsCall } from '../functions/call.ts'
import { MAX_NESTING } from '../functions/check.ts'
import { AmbiguousInstance } from '../functions/pick-instance.ts'
import { FUNCTIONS } from '../functions/table.ts'
import { isList, isObject, type Json } from '../json.ts'
import type { EvaluationContext, EvaluationStorage } from './storage.ts'

/** Functions in `payload` evaluated in the given scope (dsl.md 15.5). Throws `DslError`. */
export function evaluateFunctions(
  payload: Json,
  context: EvaluationContext,
  storage: EvaluationStorage,
): Promise<Json> {
  return evaluate(payload, { context, storage, depth: 0, ambiguousAsText: false, budget: newBudget() })
}

/** The same, with whether a secret was read on the way: what came out then is not to be shown. */
export async function evaluateWatchingSecrets(
  payload: Json,
  storage: EvaluationStorage,
): Promise<{ readonly value: Json; readonly isSecret: boolean }> {
  const budget = newBudget()
  const value = await evaluate(payload, { context: {}, storage, depth: 0, ambiguousAsText: false, budget })
  return { value, isSecret: budget.readsSecrets }
}

export interface Evaluation {
  readonly context: EvaluationContext
  readonly storage: EvaluationStorage
  /** Functions around this one; values that refer to each other in a circle end at the limit. */
  readonly depth: number
  /** In outputs, and only there, an ambiguous `get_attribute` becomes a text. */
  readonly ambiguousAsText: boolean
  /** Shared by everything that one evaluation calls. */
  readonly budget: Budget
}

export interface Budget {
  /** Calls: values that refer to each other can multiply. */
  left: number
  readsSecrets: boolean
}

export function newBudget(): Budget {
  return { left: 100_000, readsSecrets: false }
}

export async function evaluate(value: Json, evaluation: Evaluation): Promise<Json> {
  if (!holdsCall(value)) return value
  if (evaluation.depth > MAX_NESTING) {
    throw new DslError(
      'EvaluationRecursionLimitReached',
      `Functions refer to each other in a circle, or are nested more than ${MAX_NESTING} deep.`,
    )
  }
  if (isList(value)) {
    const items: Json[] = []
    for (const item of value) items.push(await evaluate(item, evaluation))
    return items
  }
  if (!isObject(value)) return value
  const call = callOf(value)
  if (call !== null) return evaluateCall(call, { ...evaluation, depth: evaluation.depth + 1 })
  const members: [string, Json][] = []
  for (const [key, inner] of Object.entries(value)) members.push([key, await evaluate(inner, evaluation)])
  return Object.fromEntries(members)
}

async function evaluateCall(call: Call, evaluation: Evaluation): Promise<Json> {
  evaluation.budget.left -= 1
  if (evaluation.budget.left < 0) {
    throw new DslError('EvaluationRecursionLimitReached', 'Too many function calls in one evaluation.')
  }
  if (call.name === 'get_secret') evaluation.budget.readsSecrets = true
  const argument = await evaluate(call.argument, evaluation)
  try {
    return await FUNCTIONS[call.name].run(
      { ...call, argument },
      {
        context: evaluation.context,
        storage: evaluation.storage,
        evaluate: (value) => evaluate(value, evaluation),
        evaluateIn: (value, context, storage) => evaluate(value, { ...evaluation, context, storage }),
      },
    )
  } catch (error) {
    if (!evaluation.ambiguousAsText || !(error instanceof AmbiguousInstance)) throw error
    return `<ERROR: ${error.message}>`
  }
}
