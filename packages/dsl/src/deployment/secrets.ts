import { DslError } from '../diagnostic.ts'
import { callsOf } from '../functions/calls.ts'
import { secretName, UnknownSecret } from '../functions/get-secret.ts'
import type { Plan } from '../plan/plan.ts'

/**
 * Secrets that are named literally must exist when a deployment is created (docs/reference/language/functions.md, "At
 * creation").
 */
export function checkSecrets(plan: Plan, secretExists: ((key: string) => boolean) | undefined): void {
  const wanted = new Set<string>()
  for (const { call } of callsOf(plan)) {
    const name = call.name === 'get_secret' ? secretName(call.argument) : null
    if (name !== null) wanted.add(name)
  }
  if (wanted.size === 0) return
  if (secretExists === undefined) {
    throw new DslError('UnsupportedGetSecretError', 'The get_secret function is not supported here.')
  }
  const missing = [...wanted].filter((name) => !secretExists(name))
  if (missing.length > 0) throw new UnknownSecret(missing)
}
