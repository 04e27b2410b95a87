import { ApiError } from '@tutti/api'
import { scopeOf } from '@tutti/domain'
import { deploymentStorage, findEvaluatedDeployment } from '@tutti/domain/evaluation'
import { objectsExist, secretExists } from '@tutti/domain/objects'
import {
  evaluateCapabilities,
  evaluatedConstraints,
  type Json,
  newBudget,
  type ObjectQuery,
} from '@tutti/dsl'
import type { Database, ExecutionRow, Scope } from '@tutti/storage'
import type { EnvironmentAnswers } from '../planning/environment.ts'
import { takenInstanceIds } from './queries.ts'

type Creation = {
  readonly id: string
  readonly blueprint: { readonly tenantId: number; readonly id: string }
}

/**
 * Managers hold the key of secrets, workers do not; nothing that a plan is made of needs the text of one, and what takes
 * one in the parameters of an execution was evaluated by the manager.
 */
export async function readSecret(_scope: Scope, key: string): Promise<never> {
  throw new ApiError(
    'unsupported_deployment_get_secret_error',
    `get_secret: ${key} cannot be used in the constraint of an input, nor in a capability that one names, nor to name a deployment that another one depends on, nor in what a parameter of an execution refers to`,
  )
}

/** What functions in the scope of the deployment read; undefined when the scope does not show it. */
export async function evaluationOf(db: Database, scope: Scope, deploymentId: string) {
  const found = await findEvaluatedDeployment(db, scope, deploymentId)
  return found && deploymentStorage({ db, readSecret }, scope, found)
}

/** Whether inputs and parameters name what there is; `blueprint`: the one that a deployment is being made from. */
export const objectFinder =
  (db: Database, scope: Scope, blueprint: Creation['blueprint'] | null, budget = newBudget()) =>
  (queries: readonly ObjectQuery[]): Promise<readonly boolean[]> =>
    objectsExist(
      {
        db,
        scope,
        blueprint,
        async capabilities(deploymentId) {
          const found = await findEvaluatedDeployment(db, scope, deploymentId)
          if (found === undefined) return {}
          return evaluateCapabilities(
            found.capabilities,
            deploymentStorage({ db, readSecret }, scope, found),
            budget,
          )
        },
      },
      queries,
    )

/**
 * What planning a deployment asks of the database, seen as whoever creates it (docs/reference/plan.md, "Deployment
 * plan").
 */
export function environmentAnswers(
  db: Database,
  { tenant_id: tenantId, created_by: username }: ExecutionRow,
  { id, blueprint }: Creation,
): EnvironmentAnswers {
  const budget = newBudget()
  let known: Promise<Scope> | undefined
  const scope = () => {
    known ??= scopeOf(db, tenantId, username)
    return known
  }
  return {
    async constraints({ inputs, given }) {
      const own = await evaluationOf(db, await scope(), id)
      if (own === undefined) throw new Error(`deployment ${id} is gone`)
      // Its inputs are not stored yet: they are being checked.
      const input = async (name: string): Promise<Json | undefined> =>
        (Object.hasOwn(given, name) ? given[name] : undefined) ??
        (Object.hasOwn(inputs, name) ? inputs[name]?.default : undefined)
      return evaluatedConstraints(inputs, { ...own, input }, budget)
    },
    objects: async (queries) => objectFinder(db, await scope(), blueprint, budget)(queries),
    async missingSecrets(keys) {
      const missing: string[] = []
      for (const key of keys) if (!(await secretExists(db, await scope(), key))) missing.push(key)
      return missing
    },
    takenInstanceIds: (ids) => takenInstanceIds(db, tenantId, ids),
  }
}
