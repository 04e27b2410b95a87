import { ApiError } from '@tutti/api'
import { evaluateCapabilities, evaluatedConstraints, type Json } from '@tutti/dsl'
import {
  type Database,
  deploymentStorage,
  type ExecutionRow,
  findEvaluatedDeployment,
  objectsExist,
  type Scope,
  scopeOf,
  secretExists,
} from '@tutti/storage'
import type { EnvironmentAnswers } from '../planning/environment.ts'

type Creation = {
  readonly id: string
  readonly blueprint: { readonly tenantId: number; readonly id: string }
}

/** Managers hold the key of secrets, workers do not; nothing that a plan is made of needs the text of one. */
export async function readSecret(_scope: Scope, key: string): Promise<never> {
  throw new ApiError(
    'unsupported_deployment_get_secret_error',
    `get_secret: ${key} cannot be used in the constraint of an input, nor in a capability that one names, nor to name a deployment that another one depends on`,
  )
}

/** What planning a deployment asks of the database, seen as whoever creates it (spec/plan.md 7). */
export function environmentAnswers(
  db: Database,
  { tenant_id: tenantId, created_by: username }: ExecutionRow,
  { id, blueprint }: Creation,
): EnvironmentAnswers {
  let known: Promise<Scope> | undefined
  const scope = () => {
    known ??= scopeOf(db, tenantId, username)
    return known
  }
  const storageOf = async (deploymentId: string) => {
    const found = await findEvaluatedDeployment(db, await scope(), deploymentId)
    return found && { ...found, storage: deploymentStorage({ db, readSecret }, await scope(), found) }
  }
  return {
    async constraints({ inputs, given }) {
      const own = await storageOf(id)
      if (own === undefined) throw new Error(`deployment ${id} is gone`)
      // Its inputs are not stored yet: they are being checked.
      const input = async (name: string): Promise<Json | undefined> =>
        (Object.hasOwn(given, name) ? given[name] : undefined) ??
        (Object.hasOwn(inputs, name) ? inputs[name]?.default : undefined)
      return evaluatedConstraints(inputs, { ...own.storage, input })
    },
    async objects(queries) {
      return objectsExist(
        {
          db,
          scope: await scope(),
          blueprint,
          async capabilities(deploymentId) {
            const found = await storageOf(deploymentId)
            return found === undefined ? {} : evaluateCapabilities(found.capabilities, found.storage)
          },
        },
        queries,
      )
    },
    async missingSecrets(keys) {
      const missing: string[] = []
      for (const key of keys) if (!(await secretExists(db, await scope(), key))) missing.push(key)
      return missing
    },
  }
}
