import type { Json } from '../json.ts'
import type { EvaluationStorage } from './storage.ts'

type Declared = { readonly [name: string]: { readonly value: Json } }

/**
 * Outputs of a deployment (dsl.md 15.5): an ambiguous `get_attribute` becomes the text `<ERROR: …>`; an entry
 * that is directly a `get_secret` of a missing secret is left out. Other failures throw `DslError`.
 */
export async function evaluateOutputs(
  _outputs: Declared,
  _storage: EvaluationStorage,
): Promise<Record<string, Json>> {
  throw new Error('evaluateOutputs is not built yet')
}

/** Capabilities: as outputs, but an ambiguous `get_attribute` throws `DslError`. */
export async function evaluateCapabilities(
  _capabilities: Declared,
  _storage: EvaluationStorage,
): Promise<Record<string, Json>> {
  throw new Error('evaluateCapabilities is not built yet')
}
