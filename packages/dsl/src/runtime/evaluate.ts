import { DslError } from '../diagnostic.ts'
import {
  type Budget,
  MAX_DEPTH,
  measure,
  type Spender,
  STEPS_OF_CALL,
  spendBytes,
  spendSteps,
  TURN,
  tooDeep,
} from '../functions/budget.ts'
import { type Call, callOf } from '../functions/call.ts'
import { MAX_NESTING } from '../functions/check.ts'
import { AmbiguousInstance } from '../functions/pick-instance.ts'
import { FUNCTIONS } from '../functions/table.ts'
import { isList, type Json, type JsonList, type JsonObject, put } from '../json.ts'
import type { EvaluationContext, EvaluationStorage } from './storage.ts'

/**
 * Functions in `payload` evaluated in the given scope (docs/reference/language/functions.md, "At run time"). `budget`
 * is shared by all that one request evaluates. Throws `DslError`.
 */
export function evaluateFunctions(
  payload: Json,
  context: EvaluationContext,
  storage: EvaluationStorage,
  budget: Budget,
): Promise<Json> {
  return evaluate(payload, { ...OUTERMOST, context, storage, budget })
}

/** The same, with whether a secret was read on the way: what came out then is not to be shown. */
export async function evaluateWatchingSecrets(
  payload: Json,
  storage: EvaluationStorage,
  budget: Budget,
): Promise<{ readonly value: Json; readonly isSecret: boolean }> {
  const before = budget.readsSecrets
  budget.readsSecrets = false
  const value = await evaluate(payload, { ...OUTERMOST, context: {}, storage, budget })
  const isSecret = budget.readsSecrets
  budget.readsSecrets ||= before
  return { value, isSecret }
}

export type Evaluation = {
  readonly context: EvaluationContext
  readonly storage: EvaluationStorage
  /** Functions around this one; values that refer to each other in a circle end at the limit. */
  readonly depth: number
  /** Values and functions around this one: as many as the stack holds. */
  readonly level: number
  readonly spender: Spender
  /** In outputs, and only there, an ambiguous `get_attribute` becomes a text. */
  readonly ambiguousAsText: boolean
  /** Shared by everything that one evaluation calls. */
  readonly budget: Budget
}

export const OUTERMOST = { depth: 0, level: 0, spender: null, ambiguousAsText: false } as const

export async function evaluate(value: Json, evaluation: Evaluation): Promise<Json> {
  const { budget, spender, level, depth } = evaluation
  spendSteps(budget, spender, 1)
  if (typeof value !== 'object' || value === null) return value
  if (!measure(value, budget, spender).holdsCall) return value
  if (depth > MAX_NESTING) {
    throw new DslError(
      'EvaluationRecursionLimitReached',
      `Functions refer to each other in a circle, or are nested more than ${MAX_NESTING} deep.`,
    )
  }
  if (level >= MAX_DEPTH) throw tooDeep(spender)
  return evaluateInside(value, { ...evaluation, level: level + 1 })
}

async function evaluateInside(value: JsonList | JsonObject, evaluation: Evaluation): Promise<Json> {
  if (isList(value)) {
    const items: Json[] = []
    for (const item of value) items.push(await evaluate(item, evaluation))
    return items
  }
  const call = callOf(value)
  if (call !== null) {
    return evaluateCall(call, { ...evaluation, depth: evaluation.depth + 1, spender: call.name })
  }
  const members: { [key: string]: Json } = {}
  for (const [key, inner] of Object.entries(value)) put(members, key, await evaluate(inner, evaluation))
  return members
}

async function evaluateCall(call: Call, evaluation: Evaluation): Promise<Json> {
  const { budget, storage, context } = evaluation
  await takeTurn(budget, storage)
  spendSteps(budget, call.name, STEPS_OF_CALL)
  if (call.name === 'get_secret') budget.readsSecrets = true
  const argument = await evaluate(call.argument, evaluation)
  const pay = (value: Json) => spendBytes(budget, call.name, measure(value, budget, call.name).bytes)
  pay(argument)
  try {
    const result = await FUNCTIONS[call.name].run(
      { ...call, argument },
      {
        context,
        storage,
        budget,
        evaluate: (value) => evaluate(value, evaluation),
        evaluateIn: (value, ...[within, from]) =>
          evaluate(value, { ...evaluation, context: within, storage: from }),
      },
    )
    pay(result)
    return result
  } catch (error) {
    if (!evaluation.ambiguousAsText || !(error instanceof AmbiguousInstance)) throw error
    return `<ERROR: ${error.message}>`
  }
}

/** Whoever else is served by this process does not wait for the whole evaluation. */
async function takeTurn(budget: Budget, storage: EvaluationStorage): Promise<void> {
  if (budget.steps > budget.turnEnds) return
  budget.turnEnds = budget.steps - TURN
  await storage.pause()
}
