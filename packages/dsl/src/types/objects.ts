import type { Json } from '../json.ts'

/** The types whose values name something on the manager (dsl.md 6.1). */
export type ObjectType =
  | 'blueprint_id'
  | 'deployment_id'
  | 'secret_key'
  | 'capability_value'
  | 'scaling_group'
  | 'node_id'
  | 'node_type'
  | 'node_instance'
  | 'operation_name'

export const OBJECT_TYPES: readonly ObjectType[] = [
  'blueprint_id',
  'deployment_id',
  'secret_key',
  'capability_value',
  'scaling_group',
  'node_id',
  'node_type',
  'node_instance',
  'operation_name',
]

/** One question to the manager: is there such an object that also satisfies every constraint (dsl.md 7.3)? */
export interface ObjectQuery {
  readonly type: ObjectType
  readonly value: Json
  /** Where to look: the deployment, else the blueprint from which a deployment is being created. */
  readonly deploymentId: string | null
  readonly constraints: DataConstraints
}

/** The data based constraints of dsl.md 7.2. */
export interface DataConstraints {
  readonly filter_id?: string
  readonly labels?: readonly { readonly [key: string]: Json }[]
  readonly tenants?: readonly string[]
  readonly name_pattern?: {
    readonly starts_with?: string
    readonly ends_with?: string
    readonly contains?: string
    readonly equals_to?: string
  }
  readonly valid_values?: readonly Json[]
}

export type ObjectGetter = (query: ObjectQuery) => boolean

/** Thrown through `run` of `withObjects` when an answer is not known yet. */
class Unanswered extends Error {
  readonly query: ObjectQuery
  constructor(query: ObjectQuery) {
    super('object query without an answer')
    this.query = query
  }
}

/**
 * Runs a pure function that asks about objects, with answers that take time: it is run again after each new
 * answer, until none is missing. `run` must have no effects.
 */
export async function withObjects<T>(
  find: (query: ObjectQuery) => Promise<boolean>,
  run: (objects: ObjectGetter) => T,
): Promise<T> {
  const answers = new Map<string, boolean>()
  for (;;) {
    try {
      return run((query) => {
        const answer = answers.get(JSON.stringify(query))
        if (answer === undefined) throw new Unanswered(query)
        return answer
      })
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      answers.set(JSON.stringify(error.query), await find(error.query))
    }
  }
}
