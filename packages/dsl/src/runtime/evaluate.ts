import type { Json } from '../json.ts'
import type { EvaluationContext, EvaluationStorage } from './storage.ts'

/** Functions in `payload` evaluated in the given scope (dsl.md 15.5). Throws `DslError`. */
export async function evaluateFunctions(
  _payload: Json,
  _context: EvaluationContext,
  _storage: EvaluationStorage,
): Promise<Json> {
  throw new Error('evaluateFunctions is not built yet')
}
