import { scopeOf } from '@tutti/domain'
import {
  evaluateConstraints,
  evaluatorWithoutSecrets,
  findEvaluation,
  objectFinder,
} from '@tutti/domain/evaluation'
import { takenInstanceIds } from '@tutti/domain/node-instances'
import { secretExists } from '@tutti/domain/objects'
import type { Json } from '@tutti/dsl'
import type { Database, ExecutionRow, Scope } from '@tutti/storage'
import type { EnvironmentAnswers } from '../planning/environment.ts'

type Creation = {
  readonly id: string
  readonly blueprint: { readonly tenantId: number; readonly id: string }
}

/**
 * What planning a deployment asks of the database, seen as whoever creates it (docs/reference/plan.md, "Deployment
 * plan").
 */
export function environmentAnswers(
  db: Database,
  { tenant_id: tenantId, created_by: username }: ExecutionRow,
  { id, blueprint }: Creation,
): EnvironmentAnswers {
  const evaluator = evaluatorWithoutSecrets(db)
  let known: Promise<Scope> | undefined
  const scope = () => {
    known ??= scopeOf(db, tenantId, username)
    return known
  }
  return {
    async constraints({ inputs, given }) {
      const own = await findEvaluation(evaluator, await scope(), id)
      if (own === undefined) throw new Error(`deployment ${id} is gone`)
      // Its inputs are not stored yet: they are being checked.
      const input = async (name: string): Promise<Json | undefined> =>
        (Object.hasOwn(given, name) ? given[name] : undefined) ??
        (Object.hasOwn(inputs, name) ? inputs[name]?.default : undefined)
      return evaluateConstraints(evaluator, inputs, { ...own, input })
    },
    objects: async (queries) => objectFinder(evaluator, await scope(), blueprint)(queries),
    async missingSecrets(keys) {
      const missing: string[] = []
      for (const key of keys) if (!(await secretExists(db, await scope(), key))) missing.push(key)
      return missing
    },
    takenInstanceIds: async (ids) => [...(await takenInstanceIds(db, tenantId, ids))],
  }
}
